import { SUBJECT_NAMES } from "../subjects/index.js";
import type { CellPlan } from "./cell.js";

export interface UncontendedPlan {
  readonly cells: readonly CellPlan[];
  readonly rounds: number;
  /** Unmeasured cycles at the start of every run; twice as many where more than 20,000 pass in a second. */
  readonly warmUpCycles: number;
  readonly measureMs: number;
}

type CellTuple = readonly [nodeCount: number, inFlight: number];

const planOf = (cells: readonly CellTuple[], subjectNames: readonly string[]): CellPlan[] =>
  cells.map(([nodeCount, inFlight]) => ({ cell: { nodeCount, inFlight }, subjectNames }));

/** One in flight is slow to warm up: without the two that are never the best peer. */
const SINGLE_FILE_SUBJECTS = SUBJECT_NAMES.filter(
  (name) => name !== "sesamecare" && name !== "redlock-universal",
);

/** What the targets compare. */
const MAIN_SUBJECTS = ["quorate", "redlock", "redis-semaphore", "raw-autopipelined", "raw-socket"];

export const FULL_UNCONTENDED: UncontendedPlan = {
  cells: [
    ...planOf(
      [
        [1, 64],
        [5, 64],
      ],
      SUBJECT_NAMES,
    ),
    ...planOf(
      [
        [1, 1],
        [5, 1],
      ],
      SINGLE_FILE_SUBJECTS,
    ),
    // How cost grows: a cross through these.
    ...planOf(
      [
        [1, 8],
        [1, 512],
        [5, 8],
        [5, 512],
        [3, 64],
        [7, 64],
        [9, 64],
      ],
      MAIN_SUBJECTS,
    ),
    ...planOf(
      [
        [3, 1],
        [7, 1],
        [9, 1],
      ],
      ["quorate"],
    ),
  ],
  rounds: 5,
  warmUpCycles: 10_000,
  measureMs: 700,
};

export const QUICK_UNCONTENDED: UncontendedPlan = {
  cells: planOf(
    [
      [1, 1],
      [1, 8],
      [1, 64],
      [5, 1],
      [5, 8],
      [5, 64],
    ],
    ["quorate", "redlock", "redis-semaphore"],
  ),
  rounds: 1,
  warmUpCycles: 1_000,
  measureMs: 250,
};
