import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "quorum-half",
  title: "a quorum is half of the nodes",
  seenIn: "libraries that divide and forget to add one",
  file: "src/protocol/verdict.js",
  find: "Math.floor(nodeCount / 2) + 1",
  replace: "Math.max(1, Math.floor(nodeCount / 2))",
  where: ["calm"],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 124 },
};
