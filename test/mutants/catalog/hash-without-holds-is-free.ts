import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "hash-without-holds-is-free",
  title: "a hash without our fields counts as free",
  seenIn: "a shared layout of which a client reads only its own fields",
  file: "src/script/kinds/owned.lua",
  find: "  local fields = call('HLEN', lock.key) <= 1000 and call('HGETALL', lock.key) or {}\n",
  replace:
    "  local fields = call('HLEN', lock.key) <= 1000 and call('HGETALL', lock.key) or {}\n  if not string.find(table.concat(fields, ' '), HOLD, 1, true) then return 'free' end\n",
  where: ["redisson"],
  killer: ["S1", "S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
