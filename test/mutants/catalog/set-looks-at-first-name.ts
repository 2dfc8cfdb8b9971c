import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-looks-at-first-name",
  title: "a set is granted when its first name is free, even if the others are held",
  seenIn: "sets locked by a key of the first name",
  file: "src/script/kinds/several.lua",
  find: "local refusal, longest, is_elsewhere = nil, -1, true\n  for at, key in ipairs(lock.lock_keys) do",
  replace:
    "local refusal, longest, is_elsewhere = nil, -1, true\n  for at, key in ipairs({ lock.key }) do",
  where: ["several"],
  killer: ["S4", "S2"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 2 },
};
