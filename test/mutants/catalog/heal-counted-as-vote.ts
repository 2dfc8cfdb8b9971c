import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "heal-counted-as-vote",
  title: "a free node counts as a vote for an extend, because it will be repaired",
  seenIn: "renewals that set the key again",
  file: "src/coordinator/lease-renewal.js",
  find: 'else if (result.verdict === "won")',
  replace:
    'else if (result.votes.filter((vote) => vote?.kind === "granted" || vote?.reason === "free").length > nodes.length / 2)',
  where: ["crash", "swarm"],
  killer: ["S3"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 6 },
};
