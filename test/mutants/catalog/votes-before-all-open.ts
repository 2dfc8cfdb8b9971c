import { withClients } from "../directed.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "votes-before-all-open",
  title: "a node of a new deployment votes as soon as it is open itself",
  seenIn: "opening node by node",
  file: "src/channel/bootstrap.js",
  find: 'if (state !== "fresh" && state !== "open")',
  replace: 'if (state !== "fresh")',
  where: [
    withClients(
      plainScenario({
        clients: 2,
        options: { ttlMs: 8_000, maxTtlMs: 10_000, nodeTimeoutMs: 250 },
        workload: [
          session({ atMs: 40, client: 0, holdMs: 2_000 }),
          session({ atMs: 70, client: 1, waitMs: 300, holdMs: 2_000 }),
        ],
        faults: [
          { kind: "hold", atMs: 42, client: 0, node: 1, way: "toNode", forMs: 80 },
          { kind: "hold", atMs: 42, client: 0, node: 2, way: "toNode", forMs: 200 },
          { kind: "forget", atMs: 65, node: 0 },
          { kind: "partition", atMs: 103, client: 1, node: 1, way: "both", forMs: 3_000 },
        ],
        chaosMs: 4_000,
      }),
      { startMs: 10 },
      { startMs: 50 },
    ),
  ],
  killer: ["S1", "Q1"],
  seedBudget: 400,
  killedBy: { where: 0, seed: 41 },
};
