import { judge, type Verdict } from "../verdict.js";
import { contentionName, type Contention } from "./contention.js";
import { FLEET_CONTENTION, MAIN_CONTENTION } from "./plan.js";
import type { ContendedSeries } from "./run.js";

/** Only of what was measured. */
export function contendedVerdicts(series: readonly ContendedSeries[]): Verdict[] {
  const main = seriesOf(series, MAIN_CONTENTION, "quorate");
  const fleet = seriesOf(series, FLEET_CONTENTION, "quorate");
  return [
    ...judge(
      contentionName(MAIN_CONTENTION),
      "hand-overs/s / floor",
      { atLeast: 0.85 },
      main === undefined ? [] : floorShares(main, series),
    ),
    ...judge(
      contentionName(FLEET_CONTENTION),
      `hand-overs/s / those of ${contentionName(MAIN_CONTENTION)}`,
      // As many, within the variation of this figure from round to round.
      { atLeast: 0.95 },
      speedRatios(fleet, main),
    ),
    ...judge(
      contentionName(FLEET_CONTENTION),
      "script calls per node and hand-over",
      // One. In addition, ten of a hundred hand-overs may take a second one, for refreshing places.
      { atMost: 1.1 },
      fleet?.samples.map((sample) => sample.callsPerNode) ?? [],
    ),
    ...[main, fleet].flatMap((one) =>
      judge(
        contentionName(one?.contention ?? MAIN_CONTENTION),
        "Jain index",
        { atLeast: 0.95 },
        one?.samples.map((sample) => sample.jainIndex) ?? [],
      ),
    ),
  ];
}

/** A subject's hand-overs/s relative to those of the floor, round by round. */
export function floorShares(one: ContendedSeries, series: readonly ContendedSeries[]): number[] {
  return speedRatios(one, seriesOf(series, one.contention, "floor"));
}

/** The same of the floor whose release grants. */
export function grantedShares(one: ContendedSeries, series: readonly ContendedSeries[]): number[] {
  return speedRatios(one, seriesOf(series, one.contention, "floor-granted"));
}

function speedRatios(
  one: ContendedSeries | undefined,
  other: ContendedSeries | undefined,
): number[] {
  return (one?.samples ?? []).map(
    (sample, round) =>
      sample.handOversPerSecond / (other?.samples[round]?.handOversPerSecond ?? Number.NaN),
  );
}

const seriesOf = (
  series: readonly ContendedSeries[],
  contention: Contention,
  subjectName: string,
): ContendedSeries | undefined =>
  series.find(
    (one) =>
      one.subjectName === subjectName &&
      contentionName(one.contention) === contentionName(contention),
  );
