import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "released-when-nothing-found",
  title: "a release that finds nothing says that it released",
  seenIn: "libraries that ignore what the script returns",
  file: "src/coordinator/release.js",
  find: 'isRefusedByQuorum(round) ? "expired" : "partial"',
  replace: '"released"',
  where: ["crash", "network"],
  killer: ["R1"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 3 },
};
