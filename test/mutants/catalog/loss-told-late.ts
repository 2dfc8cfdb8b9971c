import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "loss-told-late",
  title: "the timer of a loss is armed for the very end of validity",
  seenIn: "every setTimeout of what a lease has left",
  file: "src/coordinator/lease-validity.js",
  find: "return lossAtMs(this.untilMs);",
  replace: "return this.untilMs;",
  where: ["calm"],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
