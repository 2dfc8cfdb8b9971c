import { planOf, type UncontendedPlan } from "../uncontended/plan.js";

/** Where the CPU time of a cycle goes, line by line. Each run is measured twice: without a profile, and with one. */
export type BudgetPlan = UncontendedPlan;

export const FULL_BUDGET: BudgetPlan = {
  cells: planOf(
    ["quorate", "redlock", "redis-semaphore", "raw-socket"],
    [1, 1],
    [1, 64],
    [5, 1],
    [5, 64],
  ),
  rounds: 3,
  warmUpCycles: 10_000,
  measureMs: 1_000,
};

export const QUICK_BUDGET: BudgetPlan = {
  cells: planOf(["quorate", "redlock"], [1, 1]),
  rounds: 1,
  warmUpCycles: 500,
  measureMs: 250,
};
