import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "quorum-ceil",
  title: "a quorum is half of the nodes, rounded up: too few with an even number",
  seenIn: "libraries tested only with three and five nodes",
  file: "src/protocol/verdict.js",
  find: "Math.floor(nodeCount / 2) + 1",
  replace: "Math.ceil(nodeCount / 2)",
  where: [
    plainScenario({
      clients: 2,
      nodeCount: 4,
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 100 }),
        session({ atMs: 1_000, client: 1, holdMs: 100 }),
      ],
    }),
  ],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
