import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "released-when-nothing-found",
  title: "a release that finds no key reports success",
  seenIn: "libraries that ignore the script's result",
  file: "src/coordinator/release.js",
  find: 'isRefusedByQuorum(round) ? "expired" : "partial"',
  replace: '"released"',
  where: ["crash", "network"],
  killer: ["R1"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 3 },
};
