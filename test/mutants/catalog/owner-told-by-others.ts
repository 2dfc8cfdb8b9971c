import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "owner-told-by-others",
  title: "a re-entrant owner is told how another owner was refused",
  seenIn: "waiters that share their last error",
  file: "src/coordinator/queued-acquire.js",
  find: "if (this.#isOwned)\n            return this.#ownFailure;",
  replace: "",
  where: ["mixed", "owners"],
  killer: ["O2"],
  seedBudget: 600,
  killedBy: { where: 0, seed: 174 },
};
