import type { Scenario } from "../../../sim/scenario.js";
import { fromCorpus } from "../../support/sim/corpus.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import { withClients, withNodesOff } from "../directed.js";

export const abortLeavesKeys: Scenario = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, abortAfterMs: 5 })],
  chaosMs: 2_000,
});

export const noElapsedCheck: Scenario = plainScenario({
  clients: 1,
  workload: [session({ atMs: 1_000, client: 0 })],
  faults: [{ kind: "pause", atMs: 1_002, client: 0, forMs: 700 }],
  chaosMs: 2_000,
});

export const outrunToldAsHeld: Scenario = fromCorpus("steps-58000529-O2.json");

export const tokenNotSealed: Scenario = withNodesOff(
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
  0,
);

export const tokenRecomputed: Scenario = withNodesOff(
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
);
