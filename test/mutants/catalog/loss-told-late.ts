import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "loss-told-late",
  title: "the loss timer fires exactly at the end of validity",
  seenIn: "setTimeout with the remaining time of the lease",
  file: "src/coordinator/lease-validity.js",
  find: "return lossAtMs(this.untilMs);",
  replace: "return this.untilMs;",
  where: ["calm"],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
