import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "using-told-late",
  title: "the signal of using is aborted by a timer for the very end of validity",
  seenIn: "every setTimeout of what a lease has left",
  file: "src/redlock/lease-state.js",
  find: "lossAtMs(validUntilMs)",
  replace: "validUntilMs",
  where: ["drop-in"],
  killer: ["S6"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 62 },
};
