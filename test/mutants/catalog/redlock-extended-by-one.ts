import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "redlock-extended-by-one",
  title: "in redlock's interface, an extend succeeds if any node confirms it",
  seenIn: "renewals that resolve with the first answer",
  file: "src/redlock/extend-all.js",
  find: 'rounds.every(({ verdict }) => verdict === "won")',
  replace: "rounds.every(({ grantedCount }) => grantedCount > 0)",
  where: ["drop-in"],
  killer: ["S3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 26 },
};
