import type { Cell } from "./plan.js";
import type { Series } from "./rounds.js";
import type { Metric } from "./sample.js";
import { spreadOf, type Spread } from "./spread.js";

/** A ratio of two subjects in one cell that is to be reached. */
export interface Target {
  readonly nodeCount: number;
  readonly inFlight: number;
  readonly metric: Metric;
  readonly subject: string;
  readonly versus: string;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export const TARGETS: readonly Target[] = [
  throughput(5, 64, "redlock", 5),
  throughput(5, 64, "raw-autopipelined", 2),
  {
    nodeCount: 5,
    inFlight: 1,
    metric: "p50Ms",
    subject: "quorate",
    versus: "redlock",
    atMost: 1.1,
  },
  throughput(1, 64, "redlock", 1.8),
];

function throughput(nodeCount: number, inFlight: number, versus: string, atLeast: number): Target {
  return { nodeCount, inFlight, metric: "cyclesPerSecond", subject: "quorate", versus, atLeast };
}

export interface Ratio extends Target {
  /** Of the ratios round by round: both subjects of a round saw the same machine. */
  readonly measured: Spread;
  readonly verdict: "reached" | "missed";
}

/** Ratios of all targets whose subjects were measured. */
export function ratiosOf(series: readonly Series[], targets: readonly Target[] = TARGETS): Ratio[] {
  return targets.flatMap((target) => {
    const above = find(series, target, target.subject);
    const below = find(series, target, target.versus);
    if (above === undefined || below === undefined) return [];
    const { metric, atLeast = 0, atMost = Number.POSITIVE_INFINITY } = target;
    const measured = spreadOf(
      above.samples.map((sample, round) => sample[metric] / (below.samples[round]?.[metric] ?? 0)),
    );
    const isReached = measured.median >= atLeast && measured.median <= atMost;
    return [{ ...target, measured, verdict: isReached ? "reached" : "missed" }];
  });
}

function find(series: readonly Series[], target: Target, subjectName: string): Series | undefined {
  const isIn = ({ nodeCount, inFlight }: Cell): boolean =>
    nodeCount === target.nodeCount && inFlight === target.inFlight;
  return series.find((one) => one.subjectName === subjectName && isIn(one.cell));
}
