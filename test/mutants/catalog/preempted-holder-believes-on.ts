import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "preempted-holder-believes-on",
  title: "a preempted holder in the same process learns of it only at its renewal",
  seenIn: "steal that only deletes the key",
  file: "src/coordinator/preemption.js",
  find: "held.preempt();",
  replace: "void 0;",
  where: ["steal"],
  killer: ["S1", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
