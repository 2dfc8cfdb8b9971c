import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-token-kept-in-first-name",
  title: "the token of a set is stored in the counter of its first name only",
  seenIn: "sets with the counter of one of their names",
  file: "src/script/lib/fences.lua",
  find: "local function store(lock, fence)\n  for _, key in ipairs(lock.fences or { lock.fence_key }) do",
  replace: "local function store(lock, fence)\n  for _, key in ipairs({ lock.fence_key }) do",
  also: [
    {
      file: "src/script/lib/fences.lua",
      find: "if token == '' then return end\n  for _, key in ipairs(lock.fences or { lock.fence_key }) do",
      replace: "if token == '' then return end\n  for _, key in ipairs({ lock.fence_key }) do",
    },
  ],
  where: ["several"],
  killer: ["F1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 9 },
};
