import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "one-expiry-for-all-readers",
  title: "all readers share one expiry: a renewal of one keeps expired ones alive",
  seenIn: "read-write locks that are a counter, or a hash with a ttl",
  file: "src/script/lib/members.lua",
  find: "  call('ZADD', lock.members, ends, lock.member)\n",
  replace:
    "  for _, each in ipairs(call('ZRANGE', lock.members, 0, -1)) do call('ZADD', lock.members, ends, each) end\n  call('ZADD', lock.members, ends, lock.member)\n",
  where: ["shared"],
  killer: ["S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
