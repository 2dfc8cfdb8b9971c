import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "permit-beside-lock",
  title: "a permit is granted while an exclusive lock holds the name",
  seenIn: "semaphores that only look at their own keys",
  file: "src/script/kinds/slot.lua",
  find: "if holder and holder ~= lock.marker and holder ~= lock.reservation then",
  replace: "if false then",
  where: ["semaphore"],
  killer: ["K1", "S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 3 },
};
