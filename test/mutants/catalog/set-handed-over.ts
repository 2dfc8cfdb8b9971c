import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "set-handed-over",
  title: "a set is handed over within its process like a single name",
  seenIn: "a hand-over that replaces the one key it knows",
  file: "src/coordinator/lease.js",
  find: "if (!this.keys.queue.handsOver ||",
  replace: "if (!(this.keys.queue.handsOver || this.keys.queue.rotates) ||",
  where: ["several"],
  killer: ["L3", "R1"],
  seedBudget: 200,
  killedBy: { where: 0, seed: 4 },
};
