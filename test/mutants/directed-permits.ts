import { plainScenario, session } from "../support/sim/plain-scenario.js";

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
export const threeOfTwo = {
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
