import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-token-of-first-name",
  title: "the token of a set is above the last one of its first name only",
  seenIn: "sets with the counter of one of their names",
  file: "src/script/lib/fences.lua",
  find: "local last\n  for _, key in ipairs(lock.fences or { lock.fence_key }) do",
  replace: "local last\n  for _, key in ipairs({ lock.fence_key }) do",
  where: ["several"],
  killer: ["F1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 1 },
};
