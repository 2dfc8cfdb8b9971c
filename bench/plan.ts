import { FULL_CONTENTION, QUICK_CONTENTION, type Contention } from "./contended/contention.js";

/** What is measured. A cell is one combination; every subject is measured in every cell. */
export interface Cell {
  readonly workload: "uncontended";
  readonly nodeCount: number;
  /** Cycles under way at any time. */
  readonly inFlight: number;
}

export interface Plan {
  readonly cells: readonly Cell[];
  readonly rounds: number;
  /** Unmeasured time at the start of every run, ms: connections, scripts and compiled code get ready. */
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly contention: Contention;
}

const NODE_COUNTS = [1, 5] as const;
const IN_FLIGHT = [1, 64] as const;

const CELLS: readonly Cell[] = NODE_COUNTS.flatMap((nodeCount) =>
  IN_FLIGHT.map((inFlight): Cell => ({ workload: "uncontended", nodeCount, inFlight })),
);

export const FULL: Plan = {
  cells: CELLS,
  rounds: 5,
  warmUpMs: 800,
  measureMs: 1_000,
  contention: FULL_CONTENTION,
};
export const QUICK: Plan = {
  cells: CELLS,
  rounds: 3,
  warmUpMs: 200,
  measureMs: 300,
  contention: QUICK_CONTENTION,
};

/** `uncontended, 5 nodes, 64 in flight` */
export function cellName({ workload, nodeCount, inFlight }: Cell): string {
  const nodes = `${nodeCount} node${nodeCount === 1 ? "" : "s"}, ${inFlight} in flight`;
  return `${workload}, ${nodes}`;
}
