/**
 * What is in use on one half of the nodes. `nothing`: there is no difference, which says how exact the ratios are. Of
 * the others, `own` are about the name and the call that is measured, and may cost something.
 */
export type Feature =
  | "nothing"
  | "maxWaiters"
  | "options of the call"
  | "another name observed"
  | "another name with a value"
  | "permits held"
  | "another name renewed"
  | "own name observed"
  | "own value";

/** A lock is acquired and released on two sets of nodes in turn: a feature is in use on one of them. */
export interface FeaturesPlan {
  /** Of both sets together. */
  readonly nodeCount: number;
  readonly features: readonly Feature[];
  /** Cycles under way at a time. */
  readonly workerCount: number;
  readonly rounds: number;
  readonly warmUpMs: number;
  /** How long one set is used before the other has its turn, ms. */
  readonly sliceMs: number;
  /** Slices of each set in a round. */
  readonly sliceCount: number;
}

/** What a worker acquires and releases. */
export const nameOf = (worker: number): string => `bench:${worker}`;

export const FULL_FEATURES: FeaturesPlan = {
  nodeCount: 6,
  features: [
    "nothing",
    "maxWaiters",
    "options of the call",
    "another name observed",
    "another name with a value",
    "permits held",
    "another name renewed",
    "own name observed",
    "own value",
  ],
  workerCount: 8,
  // Short ones, and many: two sets of servers differ by several percent, whatever is in use on them.
  rounds: 24,
  warmUpMs: 500,
  sliceMs: 50,
  sliceCount: 20,
};

export const QUICK_FEATURES: FeaturesPlan = {
  ...FULL_FEATURES,
  features: ["nothing", "maxWaiters", "options of the call", "another name observed"],
  rounds: 1,
  warmUpMs: 200,
  sliceCount: 4,
};
