import type { NodeChange, Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";

const RESET = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 100, writeCount: 0 })],
  // The acquire is under way.
  faults: [{ kind: "reset", atMs: 1_001, client: 0, node: 2 }],
  chaosMs: 5_000,
});

export const noClientKill: Scenario = {
  ...RESET,
  network: { ...RESET.network, zombiePerMille: 1_000 },
};

export const noscriptOutOfOrder: Scenario = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: Array.from({ length: 24 }, (_, index) =>
    session({
      atMs: 1_000 + index,
      client: 0,
      name: String(index),
      abortAfterMs: 1 + (index % 12),
    }),
  ),
  faults: [0, 1, 2].map((node) => {
    return { kind: "scriptFlush", atMs: 1_005, node };
  }),
  chaosMs: 2_000,
});

/** The replies to a client that asks for a held name are those that its holder got. */
export const repliesOfTheHolder: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 5_000, maxTtlMs: 5_000, quarantine: false },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 1_000 }),
    session({ atMs: 1_300, client: 1, holdMs: 200 }),
  ],
  faults: [0, 1, 2].map((node) => {
    const when = { client: 1, node, atMs: 1_250, forMs: 500 };
    return { kind: "mixup", ...when, how: "another's", perMille: 1_000, count: 1 } as const;
  }),
  chaosMs: 2_500,
});

export const quarantineByFastClock: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 3_000, maxTtlMs: 3_000 },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 2_000, writeCount: 10 }),
    session({ atMs: 1_300, client: 1, waitMs: 1_000, holdMs: 100 }),
  ],
  faults: [
    { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 3_000 },
    { kind: "forget", atMs: 1_200, node: 1 },
    { kind: "wallJump", atMs: 1_250, client: 1, byMs: 20_000 },
  ],
  chaosMs: 4_000,
});

export const releaseDroppedAfterClose: Scenario = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 4_000 })],
  faults: [{ kind: "freeze", atMs: 900, node: 0, forMs: 14_000 }],
  chaosMs: 16_000,
});

/** Of the two nodes with a lock one forgets it, and the third has not heard of it: another waits. */
export const attestsTooEarly: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 3_000, maxTtlMs: 3_000 },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 2_900, writeCount: 10 }),
    session({ atMs: 1_300, client: 1, waitMs: 2_400, holdMs: 100 }),
  ],
  faults: [
    { kind: "partition", atMs: 900, client: 0, node: 2, way: "both", forMs: 4_000 },
    { kind: "forget", atMs: 1_200, node: 1 },
  ],
  chaosMs: 5_000,
});

const FIVE = plainScenario({
  clients: 2,
  nodeCount: 5,
  workload: [
    session({ atMs: 400, client: 0, release: "atEnd" }),
    session({ atMs: 3_600, client: 1 }),
  ],
  // The first lock is on 0, 3 and 4 only, the second on 1 and 2.
  faults: [
    { kind: "partition", client: 0, node: 1, way: "both", atMs: 350, forMs: 500 },
    { kind: "partition", client: 0, node: 2, way: "both", atMs: 350, forMs: 500 },
    { kind: "partition", client: 1, node: 0, way: "both", atMs: 3_500, forMs: 1_000 },
  ],
  chaosMs: 5_000,
});

const listFrom = (atMs: number, nodes: readonly number[]): NodeChange => ({
  ...{ atMs, nodes, waitMs: 500 },
  ...{ afterMs: [0, 0], isKilled: [true, true] },
});

/** Two nodes that knew a token are removed; the clocks of those that stay, and did not, are behind. */
export const twoNodesRemoved: Scenario = {
  ...FIVE,
  nodes: FIVE.nodes.map((node, index) =>
    [1, 2].includes(index) ? { ...node, wallOffsetMs: -60_000 } : node,
  ),
  nodeChanges: {
    first: [0, 1, 2, 3, 4],
    changes: [listFrom(500, [0, 1, 2, 3]), listFrom(2_000, [0, 1, 2])],
  },
};
