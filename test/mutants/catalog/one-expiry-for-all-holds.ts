import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-expiry-for-all-holds",
  title: "all holds share one expiry: a renewal of one keeps expired ones alive",
  seenIn: "a hash of counts with one ttl, as in Redisson",
  file: "src/script/kinds/owned.lua",
  find: "live, last = live + 1, math.max(last, at)\n",
  replace:
    "live, last = live + 1, math.max(last, at)\n        call('HSET', lock.holds, field, lock.mark .. last)\n",
  where: ["owners"],
  killer: ["S4"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
