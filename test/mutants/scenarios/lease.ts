import type { Scenario } from "../../../sim/scenario.js";
import { plainScenario, session } from "../../support/sim/plain-scenario.js";

export const checkWithoutClock: Scenario = plainScenario({
  clients: 2,
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 200 }),
    session({ atMs: 1_100, client: 1, waitMs: 1_000, holdMs: 50 }),
  ],
  faults: [{ kind: "pause", atMs: 1_060, client: 0, forMs: 700 }],
  chaosMs: 2_500,
});

export const healAfterRelease: Scenario = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 100, writeCount: 0, extendCount: 1 })],
  faults: [{ kind: "forget", atMs: 1_060, node: 2 }],
  chaosMs: 2_000,
});

/** Three of five nodes have forgotten the lock: it is taken. The fourth, which has too, says so late. */
export const healsUnproven: Scenario = plainScenario({
  clients: 1,
  nodeCount: 5,
  options: { ttlMs: 10_000, maxTtlMs: 10_000 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 200, writeCount: 0, extendCount: 1 })],
  faults: [
    ...[0, 1, 2, 3].map((node) => {
      return { kind: "forget" as const, atMs: 1_150, node };
    }),
    { kind: "hold", atMs: 1_190, client: 0, node: 3, way: "toClient", forMs: 45 },
  ],
  chaosMs: 2_000,
});

export const minimumHoldUntilLoss: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 1_000, maxTtlMs: 1_000, maxHoldMs: 100, lockDelayMs: 0, minHoldMs: 400 },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 500 }),
    session({ atMs: 1_200, client: 1, waitMs: 1_000 }),
  ],
  chaosMs: 2_500,
});

export const noReleaseOnLoss: Scenario = plainScenario({
  clients: 1,
  options: { ttlMs: 10_000, maxTtlMs: 10_000, maxHoldMs: 300 },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 2_000 })],
  chaosMs: 2_000,
});

export const replyBeforeClock: Scenario = plainScenario({
  clients: 1,
  options: { renew: true },
  workload: [session({ atMs: 1_000, client: 0, holdMs: 2_000, writeCount: 40 })],
  faults: [{ kind: "pause", atMs: 1_170, client: 0, forMs: 400 }],
  chaosMs: 4_000,
});

/** The holder dies after some renewals. */
export const lockDelayNotRenewed: Scenario = plainScenario({
  clients: 2,
  options: { maxTtlMs: 3_000, lockDelayMs: 2_000, minHoldMs: 0, renew: true },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 3_000 }),
    session({ atMs: 1_200, client: 1, waitMs: 6_000 }),
  ],
  faults: [{ kind: "kill", atMs: 1_900, client: 0, forMs: 5_000 }],
  chaosMs: 7_000,
});

/** A lock that alone has a minimum hold is handed over, adopted and released at once. */
export const minimumHoldOfAGiver: Scenario = plainScenario({
  clients: 3,
  options: { ttlMs: 10_000, maxTtlMs: 10_000, lockDelayMs: 0, minHoldMs: 0 },
  workload: [
    session({
      atMs: 1_000,
      client: 0,
      options: { minHoldMs: 1_500 },
      adopters: [{ client: 1, afterMs: 5 }],
    }),
    session({ atMs: 1_100, client: 2, waitMs: 3_000 }),
  ],
  chaosMs: 4_500,
});

/** The holder's wall clock jumps while it holds the lock for less than the minimum. */
export const minimumHoldByLeaseClock: Scenario = plainScenario({
  clients: 2,
  options: { ttlMs: 20_000, maxTtlMs: 20_000, lockDelayMs: 0, minHoldMs: 2_000 },
  workload: [
    session({ atMs: 1_000, client: 0, holdMs: 300 }),
    session({ atMs: 1_200, client: 1, waitMs: 3_000 }),
  ],
  faults: [{ kind: "wallJump", atMs: 1_100, client: 0, byMs: 5_000 }],
  chaosMs: 4_500,
});
