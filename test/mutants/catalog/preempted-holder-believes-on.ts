import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "preempted-holder-believes-on",
  title: "who is preempted in the preemptor's own process finds out when it renews",
  seenIn: "steal that only deletes the key",
  file: "src/coordinator/preemption.js",
  find: "held.preempt();",
  replace: "void 0;",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
