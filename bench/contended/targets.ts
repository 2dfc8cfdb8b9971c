import { eitherOf, judge, type Verdict } from "../verdict.js";
import { contentionName } from "./contention.js";
import { MAIN_CONTENTION } from "./plan.js";
import type { ContendedSeries } from "./run.js";
import type { ContendedSample } from "./sample.js";

/** Of the main contention, as far as it was measured. */
export function contendedVerdicts(series: readonly ContendedSeries[]): Verdict[] {
  const where = contentionName(MAIN_CONTENTION);
  const seriesOf = (subjectName: string): ContendedSeries | undefined =>
    series.find(
      (one) => one.subjectName === subjectName && contentionName(one.contention) === where,
    );
  const ours = seriesOf("quorate");
  const figure = (of: (sample: ContendedSample) => number, one = ours): number[] =>
    one?.samples.map(of) ?? [];
  const shares = ours === undefined ? [] : floorShares(ours, series);
  return [
    ...eitherOf([
      ...judge(
        where,
        "hand-overs/s",
        { atLeast: 600 },
        figure((s) => s.handOversPerSecond),
      ),
      ...judge(where, "hand-overs/s / floor", { atLeast: 0.8 }, shares),
    ]),
    ...judge(
      where,
      "wait p99 / mean",
      { atMost: 2 },
      figure((s) => s.waitP99Ms / s.waitMeanMs),
    ),
    ...judge(
      where,
      "calls a node a hand-over",
      { atMost: 4 },
      figure((s) => s.callsPerNode),
    ),
    ...judge(
      where,
      "Jain index, fair",
      { atLeast: 0.95 },
      figure((s) => s.jainIndex, seriesOf("quorate-fair")),
    ),
  ];
}

/** Hand-overs/s of a subject by those of the floor, round by round. */
export function floorShares(one: ContendedSeries, series: readonly ContendedSeries[]): number[] {
  const floor = series.find(
    ({ contention, subjectName }) =>
      subjectName === "floor" && contentionName(contention) === contentionName(one.contention),
  );
  return one.samples.map(
    (sample, round) =>
      sample.handOversPerSecond / (floor?.samples[round]?.handOversPerSecond ?? Number.NaN),
  );
}
