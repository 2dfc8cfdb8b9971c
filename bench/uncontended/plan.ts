import { SUBJECT_NAMES } from "../subjects/index.js";
import type { CellPlan } from "./cell.js";

export interface UncontendedPlan {
  readonly cells: readonly CellPlan[];
  readonly rounds: number;
  /** Unmeasured time at the start of every run, ms: connections, scripts and compiled code get ready. */
  readonly warmUpMs: number;
  readonly measureMs: number;
}

/** Nodes and cycles in flight of the cells where every subject is measured. */
const CORE = [
  [1, 1],
  [1, 64],
  [5, 1],
  [5, 64],
] as const;

/** How cost grows: a cross through the core. */
const ARMS = [
  [1, 8],
  [1, 512],
  [5, 8],
  [5, 512],
  [3, 1],
  [3, 64],
  [7, 1],
  [7, 64],
  [9, 1],
  [9, 64],
] as const;

const ARM_SUBJECTS = ["quorate", "redlock", "raw-autopipelined", "raw-socket"];

const planOf = (
  cells: readonly (readonly [nodeCount: number, inFlight: number])[],
  subjectNames: readonly string[],
): CellPlan[] =>
  cells.map(([nodeCount, inFlight]) => ({ cell: { nodeCount, inFlight }, subjectNames }));

export const FULL_UNCONTENDED: UncontendedPlan = {
  cells: [...planOf(CORE, SUBJECT_NAMES), ...planOf(ARMS, ARM_SUBJECTS)],
  rounds: 5,
  warmUpMs: 400,
  measureMs: 700,
};

export const QUICK_UNCONTENDED: UncontendedPlan = {
  cells: planOf(CORE, ARM_SUBJECTS),
  rounds: 1,
  warmUpMs: 150,
  measureMs: 250,
};
