import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "told-by-whoever",
  title: "also one who had nothing to let go of tells the first who waits that the name is free",
  seenIn: "a pub/sub message for every release, whoever sends it",
  file: "sim/laid-out.js",
  find: "isOurs || lock.keepsNoTurn !== true",
  replace: "true",
  where: ["owners"],
  killer: ["L5"],
  seedBudget: 3_000,
  killedBy: { where: 0, seed: 26 },
};
