import { SUBJECT_NAMES } from "../subjects/index.js";
import type { CellPlan } from "./cell.js";

export interface UncontendedPlan {
  readonly cells: readonly CellPlan[];
  readonly rounds: number;
  /** Unmeasured cycles at the start of every run; doubled if more than 20,000 pass in a second. */
  readonly warmUpCycles: number;
  readonly measureMs: number;
}

type CellTuple = readonly [nodeCount: number, inFlight: number];

export const planOf = (
  subjectNames: readonly string[],
  ...cells: readonly CellTuple[]
): CellPlan[] =>
  cells.map(([nodeCount, inFlight]) => ({ cell: { nodeCount, inFlight }, subjectNames }));

/** One cycle in flight is slow to warm up: subjects that are neither best peer nor compared with it are omitted. */
const SINGLE_FILE_SUBJECTS = SUBJECT_NAMES.filter(
  (name) => !["sesamecare", "redlock-universal", "raw-autopipelined"].includes(name),
);

/** The subjects that targets compare. */
const TARGET_SUBJECTS = [
  "quorate",
  "redlock",
  "redis-semaphore",
  "raw-autopipelined",
  "raw-socket",
];

export const FULL_UNCONTENDED: UncontendedPlan = {
  cells: [
    ...planOf(SUBJECT_NAMES, [1, 64], [5, 64]),
    ...planOf(SINGLE_FILE_SUBJECTS, [1, 1], [5, 1]),
    ...planOf(TARGET_SUBJECTS, [1, 8], [5, 8]),
    // How cost grows with nodes and with cycles in flight.
    ...planOf(["quorate", "redlock", "raw-socket"], [1, 512], [5, 512], [3, 64], [9, 64]),
    ...planOf(["quorate"], [3, 1], [9, 1], [7, 64]),
  ],
  rounds: 4,
  warmUpCycles: 10_000,
  measureMs: 700,
};

export const QUICK_UNCONTENDED: UncontendedPlan = {
  cells: planOf(
    ["quorate", "redlock", "redis-semaphore"],
    [1, 1],
    [1, 8],
    [1, 64],
    [5, 1],
    [5, 64],
  ),
  rounds: 1,
  warmUpCycles: 500,
  measureMs: 250,
};
