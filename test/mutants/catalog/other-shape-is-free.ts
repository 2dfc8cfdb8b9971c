import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "other-shape-is-free",
  title: "a value in an unknown format is treated as garbage, and its key as free",
  seenIn: "locks that validate what they read",
  file: "src/script/kinds/exclusive.lua",
  find: "and (not holder or holder ~= lock.reservation) then",
  replace: "and (not holder or holder ~= lock.reservation) and (not holder or #holder ~= 32) then",
  where: ["redlock-beside"],
  killer: ["S4", "S1"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
