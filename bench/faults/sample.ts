import { quantileOf } from "../numbers/quantile.js";

/** Acquires of a time. */
export interface Reading {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Acquires that got their lock. */
  readonly count: number;
  readonly failedCount: number;
}

/** What the client has seen since it was asked last. */
export interface Look {
  readonly latenciesMs: readonly number[];
  readonly failedCount: number;
  /** In use now, after garbage collection. */
  readonly heapBytes: number;
}

/** Of several times together. */
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

/** Traffic of one struck node, a second. */
export interface Traffic {
  /** Script calls that it was sent. */
  readonly calls: number;
  /** Bytes that it received: a burst may hide in few calls. */
  readonly bytes: number;
}

/** What one run of one case measured. */
export interface FaultSample {
  readonly healthy: Reading;
  readonly outage: Reading;
  /** Before, soon after the beginning of the outage, and at its end. */
  readonly heapBytes: Readonly<Record<"healthy" | "early" | "late", number>>;
  readonly normal: Traffic;
  /** In the second after the outage, of the struck node that had most. */
  readonly recovery: Traffic;
}

export const p50Ratio = ({ outage, healthy }: FaultSample): number => outage.p50Ms / healthy.p50Ms;

export const p99Ratio = ({ outage, healthy }: FaultSample): number => outage.p99Ms / healthy.p99Ms;

export const callsRatio = ({ recovery, normal }: FaultSample): number =>
  recovery.calls / normal.calls;

export const bytesRatio = ({ recovery, normal }: FaultSample): number =>
  recovery.bytes / normal.bytes;

/** Over the outage: what piles up for a node that is away. */
export const heapGrowthMb = ({ heapBytes }: FaultSample): number =>
  (heapBytes.late - heapBytes.early) / 1e6;
