import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "using-told-late",
  title: "the timer of using's signal fires exactly at the end of validity",
  seenIn: "setTimeout with the remaining time of the lease",
  file: "src/redlock/lease-state.js",
  find: "lossAtMs(validUntilMs)",
  replace: "validUntilMs",
  where: ["drop-in"],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 62 },
};
