import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "adopts-from-whoever-holds",
  title: "the second of two adopters takes the lock from the first",
  seenIn: "takeovers that do not compare the previous owner",
  file: "src/script/exclusive_acquire.lua",
  find: "local is_handed_over = holder and holder == previous and holder ~= owner",
  replace:
    "local is_same_process = holder and string.sub(holder, 1, 2) == string.sub(owner, 1, 2)\n  local is_handed_over = holder and previous and holder ~= owner\n    and (holder == previous or not is_same_process)",
  where: ["adoption"],
  killer: ["S4", "S2", "H1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 7 },
};
