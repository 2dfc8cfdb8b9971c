import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "other-shape-is-ours",
  title: "a value that no client of ours would write is taken for an older form of our own",
  seenIn: "a migration from one form of values to the next",
  file: "src/script/kinds/exclusive.lua",
  find: "  return call('GET', lock.key) == lock.owner\n",
  replace:
    "  local holder = call('GET', lock.key)\n  return holder == lock.owner or (holder and #holder == 32) or false\n",
  where: ["redlock-beside"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
