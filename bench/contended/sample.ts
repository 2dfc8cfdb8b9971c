import { jainIndex } from "../numbers/jain.js";
import { quantileOf } from "../numbers/quantile.js";
import type { MeasuredAnswer } from "./contention.js";

/** Measurements of one run of one subject. */
export interface ContendedSample {
  readonly handOversPerSecond: number;
  readonly waitMeanMs: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly waitMaxMs: number;
  /** Fairness of the workers' shares: 1 if all are equal, 1/n if one has everything. */
  readonly jainIndex: number;
  /** Commands sent per node and acquired lock. */
  readonly callsPerNode: number;
  /** CPU time of all clients, microseconds per acquired lock. */
  readonly clientCpuUs: number;
  /** CPU time of all nodes, microseconds per acquired lock. */
  readonly serverCpuUs: number;
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
): ContendedSample {
  const counts = answers.flatMap((answer) => answer.counts);
  // Includes unfinished waits, with their duration so far: starving waiters must not be omitted.
  const waitsMs = answers
    .flatMap((answer) => [...answer.waitsMs, ...answer.openWaitsMs])
    .toSorted((a, b) => a - b);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return {
    handOversPerSecond: (total * 1_000) / measureMs,
    waitMeanMs: waitsMs.reduce((sum, ms) => sum + ms, 0) / waitsMs.length,
    waitP50Ms: quantileOf(waitsMs, 0.5),
    waitP99Ms: quantileOf(waitsMs, 0.99),
    waitMaxMs: quantileOf(waitsMs, 1),
    jainIndex: jainIndex(counts),
    callsPerNode: nodes.callsPerNode / total,
    clientCpuUs: answers.reduce((sum, { cpuUs }) => sum + cpuUs, 0) / total,
    serverCpuUs: nodes.cpuUs / total,
    waitQuantilesMs: WAIT_QUANTILES.map((quantile) => quantileOf(waitsMs, quantile)),
  };
}
