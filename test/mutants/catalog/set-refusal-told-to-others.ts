import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-refusal-told-to-others",
  title: "the failure of a set on its other names is reported to a waiter for the first name",
  seenIn: "a wait queue that remembers one failure for all",
  file: "src/coordinator/known-failures.js",
  find: "return asked.keys.name === other.keys.name && saysTo(failure, asked, other);",
  replace: "return true;",
  where: ["several"],
  killer: ["E1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 1 },
};
