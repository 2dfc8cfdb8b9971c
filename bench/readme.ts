import { contentionName } from "./contended/contention.js";
import { MAIN_CONTENTION } from "./contended/plan.js";
import type { ContendedSeries } from "./contended/run.js";
import type { ContendedSample } from "./contended/sample.js";
import { spreadOf } from "./numbers/spread.js";
import { NOT_MEASURED, seriesIn, verdictsOf, type Results } from "./results.js";
import { aligned, format } from "./text/table.js";
import { fillMarkers } from "./text/markers.js";
import { cellName, isSameCell, type Cell } from "./uncontended/cell.js";
import { FIVE_1, FIVE_64, SINGLE_1, SINGLE_64 } from "./uncontended/targets.js";

const CELLS: readonly Cell[] = [SINGLE_1, SINGLE_64, FIVE_1, FIVE_64];

const COLUMNS = {
  quorate: "Quorate",
  redlock: "redlock",
  raw: "`SET NX` by hand, ioredis",
} as const;

/** README.md with its few figures updated. */
export const withSpeeds = (readme: string, results: Results): string =>
  fillMarkers(readme, { speeds: `${speedTable(results)}\n\n${summary(results)}` });

function speedTable(results: Results): string {
  const uncontended = seriesIn(results, "uncontended");
  const rows = CELLS.map((cell) => [
    cellName(cell),
    ...Object.keys(COLUMNS).map((name) => {
      const one = uncontended.find((s) => s.subjectName === name && isSameCell(s.cell, cell));
      const median = (of: "cyclesPerSecond" | "p50Ms"): number =>
        spreadOf(one?.samples.map((sample) => sample[of]) ?? []).median;
      return `${format(median("cyclesPerSecond"), 0)} (${format(median("p50Ms"), 3)} ms)`;
    }),
  ]);
  return aligned([["cycles/s (median latency)", ...Object.values(COLUMNS)], ...rows]);
}

function summary(results: Results): string {
  const contended = seriesIn(results, "contended");
  const verdicts = verdictsOf(results);
  const ratio = (cell: Cell, figure: string): string => {
    const where = cellName(cell);
    const found = verdicts.find((one) => one.where === where && one.figure === figure);
    return format(found?.measured.median ?? Number.NaN, 1);
  };
  const handOver = (subjectName: string, of: (sample: ContendedSample) => number): number => {
    const isMain = ({ contention }: ContendedSeries): boolean =>
      contentionName(contention) === contentionName(MAIN_CONTENTION);
    const found = contended.find((one) => one.subjectName === subjectName && isMain(one));
    return spreadOf(found?.samples.map(of) ?? []).median;
  };
  const speed = (subjectName: string): string =>
    format(
      handOver(subjectName, (sample) => sample.handOversPerSecond),
      0,
    );
  const jain = (subjectName: string): string =>
    format(
      handOver(subjectName, (sample) => sample.jainIndex),
      2,
    );
  if (results.uncontended === undefined) return NOT_MEASURED;
  const { environment, plan } = results.uncontended;
  const { node, server, cpu, packages } = environment;
  return `${cpu}, shared by client and nodes; Node ${node}, ${server}, ioredis ${packages["ioredis"]}, redlock
${packages["redlock"]}; medians of ${plan.rounds} interleaved rounds. With 64 in flight, that is ${ratio(FIVE_64, "cycles/s / best peer")} times the faster of
redlock and redis-semaphore on five nodes, and ${ratio(SINGLE_64, "cycles/s / best peer")} times on one. Alone in flight on five nodes, a fenced
cycle takes ${ratio(FIVE_1, "p50 / best peer")} times as long as with the faster of them. Where two processes of eight workers want one name for 1 ms at
a time, five nodes hand it over ${speed("quorate")} times a second (redis-semaphore: ${speed("redis-semaphore")}), with a Jain index of ${jain("quorate")} of the
workers' shares (redis-semaphore: ${jain("redis-semaphore")}).`;
}
