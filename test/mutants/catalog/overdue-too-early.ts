import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "overdue-too-early",
  title: "a holder is overdue a while before it stops to believe",
  seenIn: "waits for the ttl by a clock that runs fast, or for a part of it",
  file: "src/protocol/overdue.js",
  find: "outwaitMs(keptMs, driftFactor)",
  replace: "0.7 * keptMs",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 14 },
};
