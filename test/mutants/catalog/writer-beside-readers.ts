import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "writer-beside-readers",
  title: "a writer is admitted while readers hold the lock",
  seenIn: "writers that do not recognize a key of readers",
  file: "src/script/exclusive_acquire.lua",
  find: "local is_granted = holder == owner or",
  replace: "local is_granted = holder == owner or holder == 'shared:' or",
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
