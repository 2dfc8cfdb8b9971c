import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "turn-at-anothers-permit",
  title: "a notified waiter takes the permit from its holder",
  seenIn: "semaphores that take a notification for a grant",
  file: "src/script/kinds/slot.lua",
  find: "if who and who ~= lock.owner and who ~= lock.reservation then",
  replace: "if who and who ~= lock.owner and not lock.reservation then",
  where: ["semaphore"],
  killer: ["S1", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 4 },
};
