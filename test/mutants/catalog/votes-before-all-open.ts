import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "votes-before-all-open",
  title: "a node of a new deployment opens before all others are marked",
  seenIn: "opening node by node",
  file: "src/protocol/bootstrap.js",
  find: 'if (states.has("fresh"))',
  replace: 'if (states.has("fresh") && !states.has("opening"))',
  where: [
    // Two nodes are one client's, the third is another's, who sees the two only after they were written anew.
    withClients(
      plainScenario({
        clients: 3,
        options: { ttlMs: 8_000, maxTtlMs: 10_000, nodeTimeoutMs: 250 },
        workload: [
          session({ atMs: 60, client: 0, waitMs: 100, holdMs: 3_000 }),
          session({ atMs: 500, client: 2, waitMs: 1_500, holdMs: 1_000 }),
        ],
        faults: [
          { kind: "hold", atMs: 18, client: 1, node: 0, way: "toNode", forMs: 700 },
          { kind: "hold", atMs: 18, client: 1, node: 2, way: "toNode", forMs: 700 },
          { kind: "partition", atMs: 290, client: 0, node: 0, way: "both", forMs: 3_000 },
          { kind: "partition", atMs: 290, client: 0, node: 2, way: "both", forMs: 3_000 },
          { kind: "forget", atMs: 300, node: 0 },
          { kind: "forget", atMs: 300, node: 2 },
        ],
        chaosMs: 4_000,
      }),
      { startMs: 14 },
      { startMs: 10 },
      { startMs: 400 },
    ),
  ],
  killer: ["S1", "Q1"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 2 },
};
