import type { Cell } from "../uncontended/cell.js";

/** Where the CPU time of a cycle goes, line by line. */
export interface BudgetPlan {
  readonly nodeCount: number;
  readonly cells: readonly Cell[];
  readonly subjectNames: readonly string[];
  readonly rounds: number;
  /** As in the uncontended part. */
  readonly warmUpCycles: number;
  /** Of each of the two measurements of a run: one without a profile, one with it. */
  readonly measureMs: number;
}

export const FULL_BUDGET: BudgetPlan = {
  nodeCount: 5,
  cells: [
    { nodeCount: 1, inFlight: 1 },
    { nodeCount: 1, inFlight: 64 },
    { nodeCount: 5, inFlight: 1 },
    { nodeCount: 5, inFlight: 64 },
  ],
  subjectNames: ["quorate", "redlock", "redis-semaphore", "raw-socket"],
  rounds: 3,
  warmUpCycles: 10_000,
  measureMs: 1_000,
};

export const QUICK_BUDGET: BudgetPlan = {
  ...FULL_BUDGET,
  cells: [{ nodeCount: 1, inFlight: 1 }],
  subjectNames: ["quorate", "redlock"],
  rounds: 1,
  warmUpCycles: 500,
  measureMs: 250,
};
