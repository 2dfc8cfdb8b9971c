import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-token-of-first-name",
  title: "the token of a set is only above the last token of its first name",
  seenIn: "sets with the counter of one of their names",
  file: "src/script/lib/fences.lua",
  find: "for _, fence in ipairs(call('HMGET', KEYS[1], 'floor', unpack(lock.buckets))) do",
  replace: "for _, fence in ipairs(call('HMGET', KEYS[1], 'floor', lock.buckets[1])) do",
  where: ["several"],
  killer: ["F1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 98 },
};
