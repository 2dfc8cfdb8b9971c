/** Permits of one semaphore, asked for by one process. */
export interface PermitsCase {
  /** Of the semaphore. */
  readonly permits: number;
  /** How many are held meanwhile. */
  readonly heldCount: number;
  /** Each request takes from 1 to so many. */
  readonly most: number;
}

export interface PermitsPlan {
  readonly nodeCount: number;
  /** The first is the baseline for the others. */
  readonly cases: readonly PermitsCase[];
  /** Requests under way at a time. */
  readonly workerCount: number;
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export const FULL_PERMITS: PermitsPlan = {
  nodeCount: 5,
  cases: [
    { permits: 100, heldCount: 0, most: 1 },
    { permits: 1_000, heldCount: 500, most: 1 },
    { permits: 1_000, heldCount: 500, most: 8 },
    { permits: 10_000, heldCount: 5_000, most: 1 },
  ],
  workerCount: 8,
  rounds: 5,
  warmUpMs: 500,
  measureMs: 2_000,
};

export const QUICK_PERMITS: PermitsPlan = {
  ...FULL_PERMITS,
  cases: FULL_PERMITS.cases.slice(0, 3),
  rounds: 1,
  warmUpMs: 100,
  measureMs: 500,
};
