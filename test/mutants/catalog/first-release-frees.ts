import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "first-release-frees",
  title: "the first release of a lock with several handles frees it",
  seenIn: "reentrant locks that do not count",
  file: "src/reentrancy/shared-lease.js",
  find: "if (!this.isOpen)",
  replace: "if (true)",
  where: ["delays"],
  killer: ["J1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
