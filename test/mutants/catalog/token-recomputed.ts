import { withClients, withNodesOff } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "token-recomputed",
  title: "the token changes when a later grant carries a larger one",
  seenIn: "recomputing the maximum at every answer",
  file: "src/coordinator/sealing.js",
  find: "const state = sealState(vote.fence, this.token);",
  replace:
    'if (this.verdict === "pending") this.token = Math.max(this.token, vote.fence);\n        const state = sealState(vote.fence, this.token);',
  where: [
    withNodesOff(
      withClients(
        plainScenario({
          clients: 2,
          options: { ttlMs: 200, maxTtlMs: 4_000, nodeTimeoutMs: 100 },
          workload: [
            session({ atMs: 1_000, client: 0, holdMs: 1_000 }),
            session({ atMs: 1_500, client: 1 }),
          ],
          faults: [
            { kind: "kill", atMs: 1_060, client: 0, forMs: 5_000 },
            { kind: "partition", atMs: 1_300, client: 1, node: 1, way: "both", forMs: 1_000 },
          ],
          chaosMs: 2_500,
        }),
        { wallOffsetMs: 60_000 },
        { wallOffsetMs: 60_000 },
      ),
      0,
      900,
      300,
    ),
  ],
  killer: ["F1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 7 },
};
