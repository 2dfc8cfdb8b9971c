import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lost-on-faults",
  title: "a renewal that nodes did not answer is treated as a loss",
  seenIn: "renewals that give up at the first error",
  file: "src/coordinator/lease-renewal.js",
  find: "else if (isRefusedByQuorum(result))",
  replace: 'else if (result.verdict === "lost")',
  where: ["network", "crash"],
  killer: ["E1"],
  seedBudget: 40,
  killedBy: { where: 1, seed: 6 },
};
