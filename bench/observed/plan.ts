/** Observers of one name. */
export interface ObservedCase {
  /** Lock managers, each with connections of its own, as of so many processes. */
  readonly managerCount: number;
  /** Loops of each. */
  readonly loopCount: number;
}

export interface ObservedPlan {
  readonly nodeCount: number;
  /** The first is the baseline for the others. */
  readonly cases: readonly ObservedCase[];
  readonly rounds: number;
  readonly settleMs: number;
  /** Several times the interval at which observers ask. First nothing changes for so long, then the holder does. */
  readonly measureMs: number;
  /** Between a change and the next, ms. */
  readonly changeMs: number;
}

export const FULL_OBSERVED: ObservedPlan = {
  nodeCount: 3,
  cases: [
    { managerCount: 0, loopCount: 0 },
    { managerCount: 1, loopCount: 1 },
    { managerCount: 1, loopCount: 1_000 },
    { managerCount: 100, loopCount: 10 },
  ],
  rounds: 4,
  settleMs: 3_000,
  measureMs: 8_000,
  changeMs: 25,
};

export const QUICK_OBSERVED: ObservedPlan = {
  ...FULL_OBSERVED,
  cases: FULL_OBSERVED.cases.slice(0, 3),
  rounds: 1,
  settleMs: 500,
  measureMs: 2_500,
};
