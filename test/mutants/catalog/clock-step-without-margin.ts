import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "clock-step-without-margin",
  title: "keys expire with the lock, without a margin",
  seenIn: "every Redlock: when a node's clock steps forward, the next client gets in",
  file: "src/protocol/delays.js",
  find: "return keptMs(life) + (life.clockStepMs ?? 0);",
  replace: "return keptMs(life);",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 4 },
};
