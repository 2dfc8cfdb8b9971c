import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-taken-over",
  title: "a lock of one name is handed over to a set in its wait queue",
  seenIn: "a hand-over to the next waiter, whatever it waits for",
  file: "src/coordinator/queued-acquire.js",
  find: "return this.keys.queue.handsOver && isFree",
  replace: "return isFree",
  where: ["several"],
  killer: ["L3", "R1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 75 },
};
