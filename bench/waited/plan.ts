export interface WaitedPlan {
  readonly nodeCount: number;
  /** Numbers of names for which one process waits while another one holds them. */
  readonly nameCounts: readonly number[];
  readonly rounds: number;
  /** Between the last attempt and the measurement, ms: code is compiled, and places are refreshed in rotation. */
  readonly settleMs: number;
  /** Several times the time in which all places are refreshed. */
  readonly measureMs: number;
}

export const FULL_WAITED: WaitedPlan = {
  nodeCount: 5,
  nameCounts: [2_000, 10_000],
  rounds: 3,
  settleMs: 10_000,
  measureMs: 8_000,
};

export const QUICK_WAITED: WaitedPlan = {
  ...FULL_WAITED,
  nameCounts: [200],
  rounds: 1,
  settleMs: 2_000,
  measureMs: 2_000,
};
