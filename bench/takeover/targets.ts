import { judge, type Verdict } from "../verdict.js";
import type { TakeoverSeries } from "./run.js";

export function takeoverVerdicts(series: readonly TakeoverSeries[]): Verdict[] {
  return series.flatMap(({ ttlMs, clockStepMs, samples }) => {
    if (clockStepMs === 0) return [];
    const where = `a holder killed, clockStepMs ${clockStepMs}`;
    return [
      ...judge(
        where,
        "until one that waited has the lock / without a margin",
        { atMost: 1.2 },
        samples.map(({ waiterMs, base }) => waiterMs / base.waiterMs),
      ),
      ...judge(
        where,
        "until a new process has the lock / ttl",
        { atMost: 2 },
        samples.map(({ newcomerMs }) => newcomerMs / ttlMs),
      ),
    ];
  });
}
