import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "overdue-too-early",
  title: "a holder counts as overdue before its validity ends",
  seenIn: "waiting for the ttl on a fast clock, or for part of it",
  file: "src/protocol/overdue.js",
  find: "outwaitMs(keptMs, driftFactor)",
  replace: "0.7 * keptMs",
  where: ["steps"],
  killer: ["S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 14 },
};
