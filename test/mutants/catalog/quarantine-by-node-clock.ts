import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "quarantine-by-node-clock",
  title: "quarantine ends after a time measured on the node's clock",
  seenIn: "comparing the time of writing with the time of reading",
  file: "src/protocol/incarnation.js",
  find: "Math.min(nodeTimeMs - record.writtenMs, seenWallMs - record.writerMs)",
  replace: "nodeTimeMs - record.writtenMs",
  where: [
    // A node comes up empty with a clock that is a minute behind, and is set right a little later.
    withClients(
      plainScenario({
        clients: 2,
        options: { ttlMs: 8_000, maxTtlMs: 10_000, nodeTimeoutMs: 100 },
        workload: [
          session({ atMs: 500, client: 0, holdMs: 4_000 }),
          session({ atMs: 1_700, client: 1, waitMs: 1_000, holdMs: 1_000 }),
        ],
        faults: [
          { kind: "partition", atMs: 400, client: 0, node: 2, way: "both", forMs: 5_000 },
          { kind: "crash", atMs: 1_000, node: 1, mode: "amnesia", forMs: 20 },
          { kind: "nodeJump", atMs: 1_010, node: 1, byMs: -60_000 },
          { kind: "partition", atMs: 1_400, client: 0, node: 1, way: "both", forMs: 4_000 },
          { kind: "nodeJump", atMs: 1_500, node: 1, byMs: 60_000 },
        ],
        chaosMs: 5_500,
      }),
      { startMs: 10 },
      { startMs: 1_600 },
    ),
  ],
  killer: ["S1", "Q1"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
