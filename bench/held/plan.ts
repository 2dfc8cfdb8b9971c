export interface HeldPlan {
  readonly nodeCount: number;
  /** Locks that one process holds at the same time. */
  readonly lockCounts: readonly number[];
  /** Of these, another process ends so many by force. */
  readonly endedCount: number;
  readonly ttlMs: number;
  readonly rounds: number;
  /** Between the last acquire and the measurement, ms: renewals have begun. */
  readonly settleMs: number;
  /** A whole renewal period, so that the phase of each lock does not matter. */
  readonly measureMs: number;
}

/** The package's default. */
const TTL_MS = 10_000;

/** Locks are renewed every third of the ttl. */
const PERIOD_MS = Math.ceil(TTL_MS / 3);

export const FULL_HELD: HeldPlan = {
  nodeCount: 5,
  lockCounts: [1_000, 10_000, 100_000],
  endedCount: 30,
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
