export interface TakeoverPlan {
  readonly nodeCount: number;
  readonly ttlMs: number;
  /** Margins measured in parallel, each with its own name; the first is the baseline for the others. */
  readonly clockStepsMs: readonly number[];
  readonly rounds: number;
  /** From the start of the waiters' wait to the kill of the holders, ms: several renewals. */
  readonly settleMs: number;
}

export const FULL_TAKEOVER: TakeoverPlan = {
  nodeCount: 5,
  ttlMs: 10_000,
  clockStepsMs: [0, 5_000, 30_000],
  rounds: 5,
  settleMs: 10_000,
};

export const QUICK_TAKEOVER: TakeoverPlan = {
  ...FULL_TAKEOVER,
  ttlMs: 2_000,
  clockStepsMs: [0, 5_000],
  rounds: 1,
  settleMs: 1_000,
};
