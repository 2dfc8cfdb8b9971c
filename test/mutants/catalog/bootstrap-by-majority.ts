import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "bootstrap-by-majority",
  title: "a new deployment opens when a majority looks new",
  seenIn: "a quorum where all nodes are needed",
  file: "src/protocol/bootstrap.js",
  find: "if (seen.length < kept.length)",
  replace: "if (seen.length <= kept.length / 2)",
  where: [
    withClients(
      plainScenario({
        clients: 2,
        options: { ttlMs: 8_000, maxTtlMs: 10_000, nodeTimeoutMs: 100 },
        workload: [
          session({ atMs: 300, client: 0, waitMs: 500, holdMs: 4_000, writeCount: 20 }),
          session({ atMs: 1_500, client: 1, waitMs: 1_500, holdMs: 500 }),
        ],
        faults: [
          { kind: "partition", atMs: 0, client: 0, node: 2, way: "both", forMs: 6_000 },
          { kind: "partition", atMs: 0, client: 1, node: 0, way: "both", forMs: 6_000 },
          { kind: "partition", atMs: 900, client: 0, node: 1, way: "both", forMs: 5_000 },
          { kind: "crash", atMs: 1_000, node: 1, mode: "amnesia", forMs: 20 },
        ],
        chaosMs: 6_000,
      }),
      { startMs: 10 },
      { startMs: 1_200 },
    ),
  ],
  killer: ["S1"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 1 },
};
