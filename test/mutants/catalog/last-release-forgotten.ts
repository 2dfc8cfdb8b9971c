import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "last-release-forgotten",
  title: "the last release of a lock with several handles frees nothing",
  seenIn: "counters that start at one and are compared with zero",
  file: "src/reentrancy/shared-lease.js",
  find: "if (!this.isOpen)",
  replace: "if (false)",
  where: ["delays"],
  killer: ["J1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
