import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "marks-others-records",
  title:
    "any new-looking record counts as one of this bootstrap, regardless of who wrote it and when",
  seenIn: "a check of what exists, without who created it and when",
  file: "src/protocol/bootstrap.js",
  find: 'if (record?.state !== "fresh" || ownSinceMs === undefined)',
  replace:
    'if (record?.state === "fresh")\n        return true;\n    if (ownSinceMs === undefined)',
  where: [
    // A node forgets that its users do not reach, then the two on which there is a lock.
    withClients(
      plainScenario({
        clients: 3,
        options: { ttlMs: 8_000, maxTtlMs: 10_000, nodeTimeoutMs: 100 },
        workload: [
          session({ atMs: 1_000, client: 0, holdMs: 3_000 }),
          session({ atMs: 1_700, client: 2, waitMs: 1_000, holdMs: 1_000 }),
        ],
        faults: [
          { kind: "partition", atMs: 400, client: 0, node: 2, way: "both", forMs: 4_000 },
          { kind: "forget", atMs: 500, node: 2 },
          { kind: "partition", atMs: 1_450, client: 0, node: 0, way: "both", forMs: 3_000 },
          { kind: "partition", atMs: 1_450, client: 0, node: 1, way: "both", forMs: 3_000 },
          { kind: "forget", atMs: 1_500, node: 0 },
          { kind: "forget", atMs: 1_500, node: 1 },
        ],
        chaosMs: 4_500,
      }),
      { startMs: 10 },
      { startMs: 600 },
      { startMs: 1_600 },
    ),
  ],
  killer: ["S1", "Q1"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
