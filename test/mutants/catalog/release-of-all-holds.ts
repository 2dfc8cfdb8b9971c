import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-of-all-holds",
  title: "the release of one hold frees the name for all",
  seenIn: "reentrant locks that delete the key with the first release",
  file: "src/script/kinds/owned.lua",
  find: "local function drop(lock)\n  settle(lock, nil)\n",
  replace: "local function drop(lock)\n  call('DEL', lock.key, lock.holds)\n",
  where: ["owners"],
  killer: ["S4", "S2"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
