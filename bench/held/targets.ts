import { judge, judgeNever, type Verdict } from "../verdict.js";
import type { HeldSeries } from "./run.js";

/** Number of locks that the targets apply to. */
const LOCK_COUNT = 10_000;

export function heldVerdicts(series: readonly HeldSeries[]): Verdict[] {
  const samples = series.find(({ lockCount }) => lockCount === LOCK_COUNT)?.samples ?? [];
  const where = "10,000 held locks";
  return [
    ...judge(
      where,
      "client CPU, % of a core",
      { atMost: 5 },
      samples.map(({ clientCpuShare }) => clientCpuShare * 100),
    ),
    ...judge(
      where,
      "heap bytes per lock",
      { atMost: 2_000 },
      samples.map(({ heapBytesPerLock }) => heapBytesPerLock),
    ),
    ...judge(
      where,
      "told after an end by force / acquire",
      // Within three round trips of the end, from which the call has taken half of one to return.
      { atMost: 2.5 },
      samples.map(({ toldP50Ms, acquireP50Ms }) => toldP50Ms / acquireP50Ms),
    ),
    ...judgeNever(
      "held locks, any number",
      "ends by force not told",
      series.flatMap(({ samples }) => samples.map(({ untoldCount }) => untoldCount)),
    ),
    ...judgeNever(
      "held locks, any number",
      "locks lost",
      series.flatMap(({ samples }) => samples.map(({ lostCount }) => lostCount)),
    ),
  ];
}
