import { judge, judgeNever, type Verdict } from "../verdict.js";
import { format } from "../text/table.js";
import type { WaitedSeries } from "./run.js";
import type { WaitedSample } from "./sample.js";

/** The client's CPU, % of a core, at most, by number of names: waiting should hardly grow with these. */
const CPU_TARGETS: readonly (readonly [nameCount: number, atMost: number])[] = [
  [2_000, 1.5],
  [10_000, 4],
];

export function waitedVerdicts(series: readonly WaitedSeries[]): Verdict[] {
  const samplesOf = (count: number): readonly WaitedSample[] =>
    series.find(({ nameCount }) => nameCount === count)?.samples ?? [];
  return [
    ...CPU_TARGETS.flatMap(([nameCount, atMost]) =>
      judge(
        `${format(nameCount, 0)} names waited for`,
        "client CPU, % of a core",
        { atMost },
        samplesOf(nameCount).map(({ clientCpuShare }) => clientCpuShare * 100),
      ),
    ),
    ...judgeNever(
      "any number of names waited for",
      "wake-ups lost",
      series.flatMap(({ samples }) => samples.map(({ lateCount }) => lateCount)),
    ),
  ];
}
