import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-counted-twice",
  title: "a release of an owner's hold that comes twice takes two off",
  seenIn: "reentrant locks that are a bare count",
  file: "sim/layouts/owned.js",
  find: "after.set(owner, String(alive.length + otherCount));",
  replace:
    "after.set(owner, String(ends === undefined ? counted - 1 : counted + (known.some(([field]) => field === hold) ? 0 : 1)));",
  where: ["owners"],
  killer: ["O1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
