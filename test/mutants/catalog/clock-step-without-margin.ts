import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "clock-step-without-margin",
  title: "keys live no longer than the lock",
  seenIn: "every Redlock: a node whose clock steps forward lets the next one in",
  file: "src/protocol/delays.js",
  find: "return keptMs(life) + (life.clockStepMs ?? 0);",
  replace: "return keptMs(life);",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 4 },
};
