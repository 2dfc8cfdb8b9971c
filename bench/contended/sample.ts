import { jainIndex } from "../numbers/jain.js";
import { quantileOf } from "../numbers/quantile.js";
import type { Lines } from "../budget/sample.js";
import type { MeasuredAnswer, Shares } from "./contention.js";

/** Measurements of one run of one subject. */
export interface ContendedSample {
  readonly handOversPerSecond: number;
  readonly waitMeanMs: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly waitMaxMs: number;
  /** Fairness of the workers' shares: 1 if all are equal, 1/n if one has everything. */
  readonly jainIndex: number;
  /** The same of the processes' shares; older results do not have it. */
  readonly processJainIndex?: number;
  /** Commands sent per node and acquired lock. */
  readonly callsPerNode: number;
  /** CPU time of all clients, microseconds per acquired lock. */
  readonly clientCpuUs: number;
  /** CPU time of all nodes, microseconds per acquired lock. */
  readonly serverCpuUs: number;
  /** The clients' by what it is spent on: as a profile of one process divides it, beside the same load. */
  readonly clientLines?: Lines;
  /** Waits at `WAIT_QUANTILES`, ms. */
  readonly waitQuantilesMs: readonly number[];
}

/** For the plot of the waits. */
export const WAIT_QUANTILES = [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1] as const;

/** What the nodes did in the whole run. */
export interface NodesDid {
  /** Commands sent per node. */
  readonly callsPerNode: number;
  readonly cpuUs: number;
}

export function sampleOf(
  answers: readonly MeasuredAnswer[],
  measureMs: number,
  nodes: NodesDid,
  shares?: Shares,
): ContendedSample {
  const counts = answers.flatMap((answer) => answer.counts);
  // Includes unfinished waits, with their duration so far: starving waiters must not be omitted.
  const waitsMs = answers
    .flatMap((answer) => [...answer.waitsMs, ...answer.openWaitsMs])
    .toSorted((a, b) => a - b);
  const total = sumOf(counts);
  const clientCpuUs = sumOf(answers.map(({ cpuUs }) => cpuUs)) / total;
  const lines = Object.entries(shares ?? {}).map(([line, share]) => [line, share * clientCpuUs]);
  return {
    handOversPerSecond: (total * 1_000) / measureMs,
    waitMeanMs: sumOf(waitsMs) / waitsMs.length,
    waitP50Ms: quantileOf(waitsMs, 0.5),
    waitP99Ms: quantileOf(waitsMs, 0.99),
    waitMaxMs: quantileOf(waitsMs, 1),
    jainIndex: jainIndex(counts),
    processJainIndex: jainIndex(answers.map((answer) => sumOf(answer.counts))),
    callsPerNode: nodes.callsPerNode / total,
    clientCpuUs,
    ...(shares && { clientLines: Object.fromEntries(lines) as Lines }),
    serverCpuUs: nodes.cpuUs / total,
    waitQuantilesMs: WAIT_QUANTILES.map((quantile) => quantileOf(waitsMs, quantile)),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
