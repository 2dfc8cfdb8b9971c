import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "writer-beside-readers",
  title: "a writer is admitted while readers hold the lock",
  seenIn: "writers that do not recognize a key of readers",
  file: "src/script/kinds/exclusive.lua",
  find: "if holder ~= lock.owner and not is_handed_over and",
  replace: "if holder ~= lock.owner and holder ~= 'shared:' and not is_handed_over and",
  where: ["shared"],
  killer: ["S4", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 2 },
};
