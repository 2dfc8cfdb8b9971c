import type { Cell } from "../uncontended/cell.js";

/** Libraries whose start is measured. `ioredis` is the base of the others: it is imported, and locks nothing. */
export const COLD_LIBRARIES = ["quorate", "redlock", "ioredis"] as const;

export type ColdLibrary = (typeof COLD_LIBRARIES)[number];

export interface ColdPlan {
  readonly nodeCount: number;
  readonly cells: readonly Cell[];
  readonly libraries: readonly ColdLibrary[];
  /** Cycles right after the first lock. */
  readonly cycleCount: number;
  readonly rounds: number;
}

export const FULL_COLD: ColdPlan = {
  nodeCount: 5,
  cells: [
    { nodeCount: 1, inFlight: 1 },
    { nodeCount: 1, inFlight: 64 },
    { nodeCount: 5, inFlight: 1 },
    { nodeCount: 5, inFlight: 64 },
  ],
  libraries: COLD_LIBRARIES,
  cycleCount: 2_000,
  rounds: 5,
};

export const QUICK_COLD: ColdPlan = {
  ...FULL_COLD,
  cells: [{ nodeCount: 5, inFlight: 64 }],
  rounds: 1,
};
