import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "old-votes-counted",
  title: "votes of an earlier extend round count in the next one",
  seenIn: "one tally per lock instead of one per round",
  file: "src/coordinator/lease-renewal.js",
  find: "round.send(nodes, operation, 0, firstSendMs, receiver);",
  replace:
    'round.send(nodes, operation, 0, firstSendMs, receiver);\n        this.olderVotes?.forEach((vote, at) => vote?.kind === "granted" && round.onVote(at, vote));\n        this.olderVotes = round.votes;',
  where: ["network", "crash"],
  killer: ["S3"],
  seedBudget: 150,
  killedBy: { where: 1, seed: 5 },
};
