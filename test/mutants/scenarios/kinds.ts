import type { Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";
import { withNodesOff } from "../directed.js";

const job = { owner: "job", holdMs: 400 } as const;

/**
 * Node 0, whose clock is ahead, hears late of the owner's first hold and at once of the second; the
 * third asks that node, and one that the second has not reached.
 */
export const givenFenceLowered: Scenario = {
  ...withNodesOff(
    plainScenario({
      clients: 3,
      options: { nodeTimeoutMs: 80 },
      workload: [
        session({ ...job, atMs: 4_400, client: 0 }),
        session({ ...job, atMs: 4_450, client: 1 }),
        session({ ...job, atMs: 4_570, client: 2 }),
      ],
      chaosMs: 6_000,
    }),
    300,
  ),
  distancesUs: [
    [30_000, 0, 0],
    [0, 0, 200_000],
    [0, 200_000, 0],
  ],
};

/** Everybody is far from everybody else, in another order at each node, ms. */
const DISTANCES_MS = [
  [1, 5, 3],
  [3, 1, 5],
  [5, 3, 1],
];

/**
 * Three want one of two permits at the same moment, and arrive in the orders ABC, BCA and CAB. Nodes
 * that count holders let the first two in: each of the three has two nodes of three.
 */
export const threeOfTwo: Scenario = {
  ...plainScenario({
    clients: 3,
    options: { nodeTimeoutMs: 200 },
    workload: [0, 1, 2].map((client) =>
      session({ atMs: 500, client, permits: 2, holdMs: 300, writeCount: 0 }),
    ),
  }),
  distancesUs: DISTANCES_MS.map((row) => row.map((ms) => 3_000 * ms)),
  network: { ...plainScenario({ clients: 0, workload: [] }).network, meanDelayUs: 200 },
};

/** The first of three permits is free again, the second is not, and somebody wants two. */
export const twoBesideOne: Scenario = plainScenario({
  clients: 3,
  workload: [
    session({ atMs: 500, client: 0, permits: 3, holdMs: 100, writeCount: 0 }),
    session({ atMs: 540, client: 1, permits: 3, holdMs: 2_000, writeCount: 0 }),
    session({ atMs: 900, client: 2, permits: 3, takes: 2, holdMs: 300, writeCount: 0 }),
  ],
});
