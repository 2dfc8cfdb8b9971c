import { quantileOf } from "../numbers/quantile.js";

/** Acquires in one period. */
export interface Reading {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Acquires that were granted. */
  readonly count: number;
  readonly failedCount: number;
}

/** The client's measurements since the last reading. */
export interface Look {
  readonly latenciesMs: readonly number[];
  readonly failedCount: number;
  /** Heap in use now, after garbage collection. */
  readonly heapBytes: number;
}

/** Combines several periods. */
export function readingOf(...looks: readonly Look[]): Reading {
  const sorted = looks.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b);
  return {
    p50Ms: quantileOf(sorted, 0.5),
    p99Ms: quantileOf(sorted, 0.99),
    maxMs: quantileOf(sorted, 1),
    count: sorted.length,
    failedCount: looks.reduce((sum, look) => sum + look.failedCount, 0),
  };
}

/** Traffic of one affected node, per second. */
export interface Traffic {
  /** Script calls sent to it. */
  readonly calls: number;
  /** Bytes that it received: few calls may hide a burst. */
  readonly bytes: number;
}

/** Measurements of one run of one case. */
export interface FaultSample {
  readonly healthy: Reading;
  readonly outage: Reading;
  /** Before the outage, soon after its start, and at its end. */
  readonly heapBytes: Readonly<Record<"healthy" | "early" | "late", number>>;
  readonly normal: Traffic;
  /** In the second after the outage, on the affected node that got the most. */
  readonly recovery: Traffic;
}

export const p50Ratio = ({ outage, healthy }: FaultSample): number => outage.p50Ms / healthy.p50Ms;

export const p99Ratio = ({ outage, healthy }: FaultSample): number => outage.p99Ms / healthy.p99Ms;

export const callsRatio = ({ recovery, normal }: FaultSample): number =>
  recovery.calls / normal.calls;

export const bytesRatio = ({ recovery, normal }: FaultSample): number =>
  recovery.bytes / normal.bytes;

/** Growth over the outage: what accumulates for an unreachable node. */
export const heapGrowthMb = ({ heapBytes }: FaultSample): number =>
  (heapBytes.late - heapBytes.early) / 1e6;
