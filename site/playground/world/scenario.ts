import type {
  ClientSettings,
  Fault,
  LockSettings,
  Scenario,
  Session,
} from "../../../sim/scenario.js";
import { FENCE_BUCKETS } from "../../../src/protocol/keys.js";

/** One-way delay of the network, ms: slow, so that messages are visible. */
export const ONE_WAY_MS = 60;

/** The longest scenario that is played, ms. */
export const MAX_MS = 60_000;

/** The name that all clients contend for. */
export const NAME = "a";

/** Options of every lock manager, unless a scene overrides them. */
export const KEPT_OPTIONS: LockSettings = {
  ttlMs: 4_000,
  maxTtlMs: 10_000,
  nodeTimeoutMs: 600,
  driftFactor: 0.01,
  maxHoldMs: null,
  renew: true,
  quarantine: true,
  bootstrap: true,
  fenceBuckets: FENCE_BUCKETS,
  minDelayMs: 10,
  maxDelayMs: 200,
  checkToWriteMs: 0,
  clockStepMs: 5_000,
};

/** Two services, three nodes, perfect clocks and a slow network: the starting point of a scene. */
export function stage(given: {
  readonly seed?: number;
  /** The promises that the simulator checks: the model of `npm run simulate -- --profile`. */
  readonly profile: string;
  readonly clientCount?: number;
  readonly clients?: readonly Partial<ClientSettings>[];
  readonly options?: Partial<LockSettings>;
  readonly workload: readonly Session[];
  readonly faults: readonly Fault[];
  readonly lengthMs: number;
  readonly distancesMs?: readonly (readonly number[])[];
}): Scenario {
  const { clientCount = 2, distancesMs } = given;
  return {
    seed: given.seed ?? 1,
    profile: given.profile,
    nodeCount: 3,
    options: { ...KEPT_OPTIONS, ...given.options },
    network: {
      kind: "ordered",
      minDelayUs: distancesMs === undefined ? ONE_WAY_MS * 1_000 : 1_000,
      meanDelayUs: 10_000,
      tailPerMille: 0,
      tailFactor: 1,
      dropPerMille: 0,
      duplicatePerMille: 0,
      zombiePerMille: 0,
    },
    nodes: [0, 1, 2].map(() => ({ wallOffsetMs: 0, ratePpm: 0, isDurable: false })),
    clients: Array.from({ length: clientCount }, (_, index) => {
      const perfect = { wallOffsetMs: 0, steadyPpm: 0, wallPpm: 0, startMs: 0 };
      return { ...perfect, ...given.clients?.[index] };
    }),
    workload: given.workload,
    faults: given.faults,
    chaosMs: given.lengthMs,
    ending: "all",
    core: [],
    ...(distancesMs !== undefined && {
      distancesUs: distancesMs.map((row) => row.map((ms) => ms * 1_000)),
    }),
  };
}

/** One use of the lock: acquire, read the store, think, check, write, release. */
export function use(given: Pick<Session, "atMs" | "client"> & Partial<Session>): Session {
  const base = { name: NAME, waitMs: 0, holdMs: 1_000, writeCount: 1, extendCount: 0 };
  return { ...base, release: "once", ...given };
}
