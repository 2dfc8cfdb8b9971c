import { FAULTS, type FaultCase, type FaultName } from "./fault.js";

export interface FaultsPlan {
  readonly nodeCount: number;
  readonly cases: readonly FaultCase[];
  readonly rounds: number;
  /** Cycles of acquire and release started per second, whatever happens to them. */
  readonly cyclesPerSecond: number;
  readonly warmUpMs: number;
  readonly healthyMs: number;
  readonly outageMs: number;
  /** How long after the outage the commands that a node receives are counted. */
  readonly recoveryMs: number;
}

const FAULT_NAMES = Object.keys(FAULTS) as FaultName[];

export const FULL_FAULTS: FaultsPlan = {
  nodeCount: 5,
  cases: FAULT_NAMES.flatMap((fault) =>
    [1, 2].map((struckCount): FaultCase => ({ fault, struckCount })),
  ),
  rounds: 3,
  cyclesPerSecond: 1_000,
  warmUpMs: 1_000,
  healthyMs: 2_000,
  outageMs: 3_000,
  recoveryMs: 1_000,
};

export const QUICK_FAULTS: FaultsPlan = {
  ...FULL_FAULTS,
  cases: [
    { fault: "frozen", struckCount: 1 },
    { fault: "blackholed", struckCount: 2 },
  ],
  rounds: 1,
  warmUpMs: 300,
  healthyMs: 1_000,
  outageMs: 1_500,
};
