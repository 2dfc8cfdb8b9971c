import { judge, type Verdict } from "../verdict.js";
import { contentionName, type Contention } from "./contention.js";
import { BARE_CONTENTION, FLEET_CONTENTION, MAIN_CONTENTION, CLUSTER_CONTENTION } from "./plan.js";
import type { ContendedSeries } from "./run.js";
import type { ContendedSample } from "./sample.js";

/** Hand-overs per second, relative to those of others in the same contention, at least. */
const SPEEDS: readonly (readonly [where: Contention, other: string, atLeast: number])[] = [
  [MAIN_CONTENTION, "redis-semaphore", 1.1],
  [MAIN_CONTENTION, "floor-granted", 0.85],
  [BARE_CONTENTION, "redis-semaphore", 1.2],
  [BARE_CONTENTION, "floor-granted", 0.6],
  [FLEET_CONTENTION, "floor-granted", 0.8],
];

/** Only of what was measured. */
export function contendedVerdicts(series: readonly ContendedSeries[]): Verdict[] {
  const fleet = seriesOf(series, FLEET_CONTENTION, "quorate");
  const ours = series.filter(
    ({ subjectName, contention }) =>
      subjectName === "quorate" &&
      contention.firstShare === undefined &&
      contentionName(contention) !== contentionName(CLUSTER_CONTENTION),
  );
  return [
    ...SPEEDS.flatMap(([where, other, atLeast]) =>
      judge(
        contentionName(where),
        `hand-overs/s / ${other}`,
        { atLeast },
        speedRatios(seriesOf(series, where, "quorate"), seriesOf(series, where, other)),
      ),
    ),
    ...judge(
      contentionName(FLEET_CONTENTION),
      "script calls per node and hand-over",
      // A release, and the acquire that enters the queue; and now and then a refresh of places.
      { atMost: 2.1 },
      fleet?.samples.map((sample) => sample.callsPerNode) ?? [],
    ),
    ...judge(
      contentionName(CLUSTER_CONTENTION),
      "hand-over on Clusters / on single servers",
      { atMost: 2 },
      ratios(
        seriesOf(series, CLUSTER_CONTENTION, "quorate-cluster"),
        seriesOf(series, CLUSTER_CONTENTION, "quorate"),
        (sample) => sample.waitP50Ms,
      ),
    ),
    ...ours.flatMap((one) => [
      ...judge(
        contentionName(one.contention),
        "client CPU / redis-semaphore",
        { atMost: 0.8 },
        ratios(
          one,
          seriesOf(series, one.contention, "redis-semaphore"),
          (sample) => sample.clientCpuUs,
        ),
      ),
      ...judge(
        contentionName(one.contention),
        "Jain index of processes",
        { atLeast: 0.97 },
        one.samples.map(({ processJainIndex = Number.NaN }) => processJainIndex),
      ),
      ...judge(
        contentionName(one.contention),
        "longest wait / median",
        { atMost: 3 },
        one.samples.map((sample) => sample.waitMaxMs / sample.waitP50Ms),
      ),
    ]),
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

const speedRatios = (
  one: ContendedSeries | undefined,
  other: ContendedSeries | undefined,
): number[] => ratios(one, other, (sample) => sample.handOversPerSecond);

/** Round by round. */
function ratios(
  one: ContendedSeries | undefined,
  other: ContendedSeries | undefined,
  of: (sample: ContendedSample) => number,
): number[] {
  return (one?.samples ?? []).map((sample, round) => {
    const beside = other?.samples[round];
    return of(sample) / (beside === undefined ? Number.NaN : of(beside));
  });
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
