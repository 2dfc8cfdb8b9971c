import { judge, judgeNever, type Verdict } from "../verdict.js";
import type { WaitedSeries } from "./run.js";

/** Number of names that the target applies to. */
const NAME_COUNT = 10_000;

export function waitedVerdicts(series: readonly WaitedSeries[]): Verdict[] {
  const samples = series.find(({ nameCount }) => nameCount === NAME_COUNT)?.samples ?? [];
  return [
    ...judge(
      "10,000 names waited for",
      "client CPU, % of a core",
      { atMost: 5 },
      samples.map(({ clientCpuShare }) => clientCpuShare * 100),
    ),
    ...judgeNever(
      "any number of names waited for",
      "wake-ups lost",
      series.flatMap(({ samples }) => samples.map(({ lateCount }) => lateCount)),
    ),
  ];
}
