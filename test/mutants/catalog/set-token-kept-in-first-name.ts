import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-token-kept-in-first-name",
  title: "the token of a set is stored only in the counter of its first name",
  seenIn: "sets with the counter of one of their names",
  file: "src/script/lib/fences.lua",
  find: "  write(lock.buckets, fence)\n",
  replace: "  write({ lock.buckets[1] }, fence)\n",
  also: [
    {
      file: "src/script/lib/fences.lua",
      find: "for at, fence in ipairs(call('HMGET', KEYS[1], unpack(lock.buckets))) do",
      replace: "for at, fence in ipairs(call('HMGET', KEYS[1], lock.buckets[1])) do",
    },
  ],
  where: ["several"],
  killer: ["F1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 98 },
};
