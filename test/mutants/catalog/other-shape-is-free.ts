import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "other-shape-is-free",
  title: "a value in an unknown format is treated as garbage, and its key as free",
  seenIn: "locks that validate what they read",
  file: "src/script/exclusive_acquire.lua",
  find: "or place and holder == RESERVATION .. inbox\n",
  replace: "or place and holder == RESERVATION .. inbox or holder and #holder == 32\n",
  where: ["redlock-beside"],
  killer: ["S4", "S1"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
