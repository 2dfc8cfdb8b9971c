import type { Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import { withClients } from "../directed.js";

export const bootstrapByMajority: Scenario = withClients(
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
);

export const clockComparesTotals: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 2_000, maxTtlMs: 2_000 },
  workload: [
    session({ atMs: 3_000, client: 0, holdMs: 6_000, writeCount: 60 }),
    session({ atMs: 3_100, client: 1, waitMs: 6_000, holdMs: 500, writeCount: 4 }),
  ],
  faults: [
    { kind: "wallJump", atMs: 500, client: 0, byMs: -20_000 },
    { kind: "suspend", atMs: 3_200, client: 0, forMs: 2_500 },
  ],
  chaosMs: 10_000,
});

/** The holder's clock is as slow as it may be, those of the nodes are as fast. */
const LOCK_DELAY = withClients(
  plainScenario({
    clients: 2,
    options: { maxTtlMs: 11_000, minDelayMs: 1, lockDelayMs: 10_000, minHoldMs: 0 },
    workload: [
      session({ atMs: 1_000, client: 0, release: "atEnd" }),
      session({ atMs: 1_200, client: 1, waitMs: 12_000 }),
    ],
    chaosMs: 13_000,
  }),
  { steadyPpm: -5_000, wallPpm: -5_000 },
);

export const lockDelayWithoutDrift: Scenario = {
  ...LOCK_DELAY,
  nodes: LOCK_DELAY.nodes.map((node) => ({ ...node, ratePpm: 5_000 })),
};

/** A node forgets that its users do not reach, then the two on which there is a lock. */
export const marksOthersRecords: Scenario = withClients(
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
);

export const quorumCeil: Scenario = plainScenario({
  clients: 2,
  nodeCount: 4,
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 100 }),
    session({ atMs: 1_000, client: 1, holdMs: 100 }),
  ],
});

/** Two nodes are one client's, the third is another's, who sees the two only after they were written anew. */
export const votesBeforeAllOpen: Scenario = withClients(
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
);

export const wallOnly: Scenario = plainScenario({
  clients: 2,
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 2_000, writeCount: 20 }),
    session({ atMs: 1_700, client: 1, waitMs: 500, holdMs: 200, writeCount: 4 }),
  ],
  faults: [{ kind: "wallJump", atMs: 1_100, client: 0, byMs: -1_000 }],
  chaosMs: 3_500,
});

/** The holder sleeps until its lock is over and another has it. */
export const monotonicOnly: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 2_000, maxTtlMs: 2_000 },
  workload: [
    session({ atMs: 3_000, client: 0, holdMs: 6_000, writeCount: 60 }),
    session({ atMs: 3_100, client: 1, waitMs: 6_000, holdMs: 1_500, writeCount: 4 }),
  ],
  faults: [{ kind: "suspend", atMs: 3_200, client: 0, forMs: 2_500 }],
  chaosMs: 10_000,
});

/** Three want one name at the same moment, and each is the first at one node. */
export const oneNodeEach: Scenario = {
  ...plainScenario({
    clients: 3,
    options: { nodeTimeoutMs: 200 },
    workload: [0, 1, 2].map((client) => session({ atMs: 500, client, holdMs: 300, writeCount: 0 })),
  }),
  distancesUs: [
    [3_000, 15_000, 9_000],
    [9_000, 3_000, 15_000],
    [15_000, 9_000, 3_000],
  ],
  network: { ...plainScenario({ clients: 0, workload: [] }).network, meanDelayUs: 200 },
};
