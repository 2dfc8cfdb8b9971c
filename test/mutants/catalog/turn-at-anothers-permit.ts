import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "turn-at-anothers-permit",
  title: "who is told that it is its turn takes the permit whoever stands there",
  seenIn: "semaphores that take being called up for having it",
  file: "sim/layouts/slot.js",
  find: "if (who !== undefined && who !== ownerId && who !== turn)",
  replace: "if (who !== undefined && who !== ownerId && turn === undefined)",
  where: ["semaphore"],
  killer: ["S1", "S2"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
