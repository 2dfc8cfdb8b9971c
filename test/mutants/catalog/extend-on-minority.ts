import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "extend-on-minority",
  title: "an extend succeeds if any node confirms it",
  seenIn: "renewals without a quorum",
  file: "src/coordinator/lease-renewal.js",
  find: 'else if (result.verdict === "won")',
  replace: "else if (result.grantedCount > 0)",
  where: ["network", "crash"],
  killer: ["S3"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 6 },
};
