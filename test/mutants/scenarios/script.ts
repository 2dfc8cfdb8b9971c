import type { Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import { withClients, withNodesOff } from "../directed.js";

export const batchDiesAsAWhole: Scenario = plainScenario({
  clients: 1,
  workload: ["a", "b"].map((name) => session({ atMs: 1_000, client: 0, name })),
  faults: [0, 1].map((node) => {
    const base = { kind: "nodeErrors", atMs: 900, forMs: 300, node } as const;
    return { ...base, perMille: 1_000, scope: "operation", name: "b" };
  }),
  chaosMs: 1_500,
});

/**
 * The holder has read, and is stopped while a renewal is under way for long. The lock runs out,
 * another comes, writes and goes, the renewal arrives, and the holder writes what it had thought.
 */
export const expiredHeldAgain: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 1_000, maxTtlMs: 1_000, renew: true },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 1_800 }),
    session({ atMs: 2_020, client: 1, waitMs: 300, holdMs: 10 }),
  ],
  faults: [
    ...[0, 1, 2].map((node) => {
      const base = { kind: "hold", atMs: 1_320, client: 0, node, forMs: 830 } as const;
      return { ...base, way: "toNode" as const };
    }),
    { kind: "pause", atMs: 1_350, client: 0, forMs: 850 },
  ],
  chaosMs: 3_000,
});

export const fenceDiesWithLock: Scenario = withClients(
  plainScenario({
    clients: 2,
    options: { ttlMs: 200, maxTtlMs: 4_000 },
    workload: [session({ atMs: 1_000, client: 0 }), session({ atMs: 1_500, client: 1 })],
    chaosMs: 2_000,
  }),
  { wallOffsetMs: 60_000 },
  { wallOffsetMs: -60_000 },
);

export const fenceNotIncremented: Scenario = {
  ...withClients(
    plainScenario({
      clients: 2,
      options: { maxTtlMs: 8_000, checkToWriteMs: 900 },
      workload: [
        session({ atMs: 1_000, client: 0, writeCount: 1 }),
        session({ atMs: 1_455, client: 1, waitMs: 1_000, writeCount: 1 }),
      ],
      chaosMs: 4_000,
    }),
    { wallOffsetMs: 60_000 },
    { wallOffsetMs: -60_000 },
  ),
  profile: "pause-after-check",
};

/** It comes up with a slow clock; the other node of the next quorum, and its client, have one as well. */
export const floorNotRaised: Scenario = withNodesOff(
  withClients(
    plainScenario({
      clients: 3,
      options: { ttlMs: 800, maxTtlMs: 1_000, nodeTimeoutMs: 100 },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 100 }),
        session({ atMs: 4_000, client: 1, waitMs: 500, holdMs: 100 }),
      ],
      faults: [
        { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 5_000 },
        { kind: "crash", atMs: 1_300, node: 1, mode: "amnesia", forMs: 20 },
        { kind: "nodeJump", atMs: 1_310, node: 1, byMs: -20_000 },
        { kind: "partition", atMs: 3_800, client: 1, node: 0, way: "both", forMs: 2_000 },
      ],
      chaosMs: 6_000,
    }),
    { startMs: 10 },
    { startMs: 3_000, wallOffsetMs: -20_000 },
    { startMs: 10 },
  ),
  ...[0, 0, -20_000],
);

/** The holder's acquire is held up on its way to node 2; the operator does not reach node 1. */
export const lateAcquireAfterEnd: Scenario = {
  ...plainScenario({
    clients: 2,
    options: { renew: true },
    workload: [
      session({ atMs: 348, client: 0, waitMs: 400, holdMs: 989, writeCount: 0 }),
      session({ atMs: 547, client: 1, isForce: true, writeCount: 0 }),
    ],
    faults: [
      { kind: "hold", atMs: 300, client: 0, node: 2, way: "toNode", forMs: 400 },
      { kind: "partition", atMs: 388, client: 1, node: 1, way: "both", forMs: 2_900 },
    ],
    chaosMs: 4_000,
  }),
  profile: "force",
};

/**
 * The first node's clock is far ahead, and so is the first token. The node that shares it with the
 * next quorum forgets; the third has heard of it by the release alone.
 */
export const releaseLiftsNoFence: Scenario = withNodesOff(
  plainScenario({
    clients: 2,
    workload: [
      session({ atMs: 1_000, client: 0, holdMs: 100 }),
      session({ atMs: 2_000, client: 1, waitMs: 2_000 }),
    ],
    faults: [
      { kind: "hold", atMs: 990, client: 0, node: 2, way: "toNode", forMs: 140 },
      { kind: "forget", atMs: 1_500, node: 1 },
      { kind: "partition", atMs: 1_600, client: 1, node: 0, way: "both", forMs: 4_000 },
    ],
    chaosMs: 4_500,
  }),
  900_000,
);

/** The node that both quorums share restarts with what it had saved before the lock was taken. */
export const runIdNotCompared: Scenario = plainScenario({
  clients: 2,
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 450, release: "atEnd" }),
    session({ atMs: 1_200, client: 1, waitMs: 200 }),
  ],
  faults: [
    { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 1_000 },
    { kind: "partition", atMs: 900, client: 1, node: 1, way: "both", forMs: 1_000 },
    { kind: "crash", atMs: 1_050, node: 0, mode: "snapshot", lostMs: 100, forMs: 10 },
  ],
  chaosMs: 2_000,
});

export const sealBareMax: Scenario = {
  ...withClients(
    plainScenario({
      clients: 4,
      options: { ttlMs: 4_000, maxTtlMs: 20_000, nodeTimeoutMs: 1_500 },
      workload: [
        session({ atMs: 1_000, client: 2, holdMs: 50 }),
        session({ atMs: 1_200, client: 3 }),
        session({ atMs: 3_500, client: 0, holdMs: 500 }),
        session({ atMs: 3_620, client: 1, holdMs: 10 }),
      ],
      faults: [
        { kind: "partition", atMs: 1_190, client: 3, node: 0, way: "both", forMs: 4_500 },
        { kind: "partition", atMs: 1_190, client: 3, node: 2, way: "both", forMs: 4_500 },
        { kind: "partition", atMs: 3_400, client: 0, node: 2, way: "both", forMs: 2_000 },
        { kind: "partition", atMs: 3_400, client: 1, node: 1, way: "both", forMs: 2_000 },
        { kind: "hold", atMs: 3_500, client: 0, node: 1, way: "toNode", forMs: 60 },
        { kind: "hold", atMs: 3_530, client: 0, node: 0, way: "toNode", forMs: 500 },
        { kind: "nodeJump", atMs: 3_600, node: 0, byMs: 4_100 },
      ],
      chaosMs: 6_000,
    }),
    { wallOffsetMs: -60_000 },
    { wallOffsetMs: -60_000 },
    { wallOffsetMs: 60_000 },
    { wallOffsetMs: -60_000 },
  ),
  profile: "jump",
};

/** All nodes forget; a client comes next whose clock is far behind. */
export const behindAfterForgetting: Scenario = withClients(
  plainScenario({
    clients: 2,
    workload: [
      session({ atMs: 1_000, client: 0 }),
      session({ atMs: 3_000, client: 1, waitMs: 2_000 }),
    ],
    faults: [0, 1, 2].map((node) => ({ kind: "forget", atMs: 1_500, node }) as const),
    chaosMs: 5_500,
  }),
  { wallOffsetMs: 0 },
  { wallOffsetMs: -60_000 },
);
