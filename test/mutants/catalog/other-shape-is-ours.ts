import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "other-shape-is-ours",
  title: "a value in an unknown format is treated as an older format of our own",
  seenIn: "a migration from one value format to the next",
  file: "src/script/kinds/exclusive.lua",
  find: "  return call('GET', lock.key) == lock.owner\n",
  replace:
    "  local holder = call('GET', lock.key)\n  return holder == lock.owner or (holder and #holder == 32) or false\n",
  where: ["redlock-beside"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
