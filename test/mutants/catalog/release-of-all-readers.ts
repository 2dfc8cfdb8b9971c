import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-of-all-readers",
  title: "the release of one reader frees the lock of all",
  seenIn: "a lock key that any of its readers may delete",
  file: "sim/layouts/shared.js",
  find: "drop: () => settle(others()),",
  replace: "drop: () => settle([]),",
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
