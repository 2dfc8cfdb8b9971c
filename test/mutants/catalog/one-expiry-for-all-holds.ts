import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-expiry-for-all-holds",
  title: "holds have one expiry for all: a renewal of one keeps the dead alive",
  seenIn: "a hash of counts with one ttl, as Redisson has it",
  file: "src/script/kinds/owned.lua",
  find: "live, last = live + 1, math.max(last, at)\n",
  replace:
    "live, last = live + 1, math.max(last, at)\n        call('HSET', lock.holds, field, lock.mark .. last)\n",
  where: ["owners"],
  killer: ["S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
