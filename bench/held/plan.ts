export interface HeldPlan {
  readonly nodeCount: number;
  /** Locks that one process holds at the same time. */
  readonly lockCounts: readonly number[];
  readonly ttlMs: number;
  readonly rounds: number;
  /** Between the last acquire and the measurement, ms: renewals have begun. */
  readonly settleMs: number;
  /** A whole period of renewal, so that it does not matter where each lock stands in its own. */
  readonly measureMs: number;
}

/** The default of the package. */
const TTL_MS = 10_000;

/** A renewal comes every third of the ttl. */
const PERIOD_MS = Math.ceil(TTL_MS / 3);

export const FULL_HELD: HeldPlan = {
  nodeCount: 5,
  lockCounts: [1_000, 10_000, 100_000],
  ttlMs: TTL_MS,
  rounds: 3,
  settleMs: 2 * PERIOD_MS,
  measureMs: PERIOD_MS,
};

export const QUICK_HELD: HeldPlan = {
  ...FULL_HELD,
  lockCounts: [10_000],
  rounds: 1,
  settleMs: 500,
};
