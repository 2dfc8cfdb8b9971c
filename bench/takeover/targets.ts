import { judge, type Verdict } from "../verdict.js";
import type { TakeoverSeries } from "./run.js";

export function takeoverVerdicts(series: readonly TakeoverSeries[]): Verdict[] {
  return series.flatMap(({ ttlMs, clockStepMs, samples }) => {
    if (clockStepMs === 0) return [];
    const where = `killed holder, clockStepMs ${clockStepMs}`;
    return [
      ...judge(
        where,
        "time to a waiter's grant / without a margin",
        { atMost: 1.2 },
        samples.map(({ waiterMs, base }) => waiterMs / base.waiterMs),
      ),
      ...judge(
        where,
        "time to a new process's grant / ttl",
        { atMost: 2 },
        samples.map(({ newcomerMs }) => newcomerMs / ttlMs),
      ),
    ];
  });
}
