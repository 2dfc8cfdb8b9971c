import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "lost-needs-quorum-against",
  title: "a round is lost only when a quorum has voted against it",
  seenIn: "libraries that never settle an even split",
  file: "src/protocol/verdict.js",
  find: "againstCount > tally.nodeCount - quorum",
  replace: "againstCount >= quorum",
  where: ["calm"],
  killer: ["L1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 4 },
};
