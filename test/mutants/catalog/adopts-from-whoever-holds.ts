import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "adopts-from-whoever-holds",
  title: "the second of two adopters takes the lock from the first",
  seenIn: "takeovers that do not compare the previous owner",
  file: "src/script/kinds/exclusive.lua",
  find: "local is_handed_over = holder and holder == lock.previous and holder ~= lock.owner",
  replace:
    "local is_same_process = holder and string.sub(holder, 1, 2) == string.sub(lock.owner, 1, 2)\n  local is_handed_over = holder and lock.previous and holder ~= lock.owner\n    and (holder == lock.previous or not is_same_process)",
  where: ["adoption"],
  killer: ["S4", "S2", "H1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 7 },
};
