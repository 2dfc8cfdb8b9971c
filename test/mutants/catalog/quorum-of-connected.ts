import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "quorum-of-connected",
  title: "a quorum of the nodes that answer, not of those configured",
  seenIn: "clients that remove dead nodes from their list",
  file: "src/protocol/verdict.js",
  find: "const quorum = quorumSize(tally.nodeCount);",
  replace: "const quorum = quorumSize(tally.nodeCount - tally.faultCount);",
  where: ["network", "crash"],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 2 },
};
