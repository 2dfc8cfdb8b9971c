import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "held-by-a-minority",
  title: "a query reports a name as held that only one node holds",
  seenIn: "queries that trust the first node that answers",
  file: "src/inspect/report.js",
  find: "remainingMs.size >= quorum",
  replace: "remainingMs.size >= 1",
  where: ["pause", "datagram", "bursts"],
  killer: ["I1"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 1 },
};
