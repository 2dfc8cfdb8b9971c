import type { Fault, LockSettings, Scenario, Session } from "../../../sim/scenario.js";
import { FENCE_BUCKETS } from "../../../src/protocol/keys.js";

/** Perfect clocks, a network that loses nothing, no faults: what a directed run starts from. */
export function plainScenario(given: {
  readonly clients: number;
  readonly nodeCount?: number;
  readonly options?: Partial<LockSettings>;
  readonly workload: readonly Session[];
  readonly faults?: readonly Fault[];
  readonly chaosMs?: number;
}): Scenario {
  const { clients, nodeCount = 3, options = {}, workload, faults = [], chaosMs = 1_200 } = given;
  return {
    seed: 1,
    profile: "directed",
    nodeCount,
    options: {
      ttlMs: 500,
      maxTtlMs: 500,
      nodeTimeoutMs: 50,
      driftFactor: 0.01,

      maxHoldMs: null,
      renew: false,

      quarantine: true,
      bootstrap: true,
      fenceBuckets: FENCE_BUCKETS,
      minDelayMs: 10,
      maxDelayMs: 100,
      checkToWriteMs: 0,
      ...options,
    },
    network: {
      kind: "ordered",
      minDelayUs: 100,
      meanDelayUs: 5_000,
      tailPerMille: 0,
      tailFactor: 1,
      dropPerMille: 0,
      duplicatePerMille: 0,
      zombiePerMille: 0,
    },
    nodes: Array.from({ length: nodeCount }, () => {
      return { wallOffsetMs: 0, ratePpm: 0, isDurable: false };
    }),
    clients: Array.from({ length: clients }, () => {
      return { wallOffsetMs: 0, steadyPpm: 0, wallPpm: 0, startMs: 0 };
    }),
    workload,
    faults,
    chaosMs,
    ending: "all",
    core: [],
  };
}

export function session(given: Partial<Session> & Pick<Session, "atMs" | "client">): Session {
  const base = { name: "a", waitMs: 0, holdMs: 20, writeCount: 1, extendCount: 0 };
  return { ...base, release: "once", ...given };
}
