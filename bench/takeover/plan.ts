export interface TakeoverPlan {
  readonly nodeCount: number;
  readonly ttlMs: number;
  /** Margins that are measured side by side, each with a name of its own; the first is what the others are compared with. */
  readonly clockStepsMs: readonly number[];
  readonly rounds: number;
  /** From when the waiters wait to the end of the holders, ms: several renewals. */
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
