import { contentionName } from "../contended/contention.js";
import {
  CONTENDED_SUBJECTS,
  MAIN_CONTENTION,
  SECTIONS_MS,
  SHAPES,
  type Shape,
} from "../contended/plan.js";
import type { ContendedSeries } from "../contended/run.js";
import { WAIT_QUANTILES } from "../contended/sample.js";
import { faultCaseName } from "../faults/fault.js";
import { spreadOf } from "../numbers/spread.js";
import { seriesIn, type Results } from "../results.js";
import { cellName, isSameCell, type Cell } from "../uncontended/cell.js";
import type { Series } from "../uncontended/run.js";
import { totalCpuUs, type Sample } from "../uncontended/sample.js";
import { SPEED_CELLS } from "../uncontended/targets.js";
import { barPlot } from "./bar-plot.js";
import { linePlot, type Line, type LinePoint } from "./line-plot.js";

/** A file name, and a description of the plot. */
export interface Plot {
  readonly file: string;
  readonly caption: string;
  readonly svg: string;
}

export const FLOOR_FILE = "floor.svg";

/** The plots for which the results have more than one point. */
export function plotsOf(results: Results): Plot[] {
  return [
    ...floorPlot(results),
    ...speedPlot(results, 1),
    ...speedPlot(results, 5),
    ...cpuPlot(results),
    ...waitPlot(results),
    ...SHAPES.flatMap((shape) => handOverPlot(results, shape)),
    ...faultPlot(results),
  ];
}

function speedPlot(results: Results, nodeCount: number): Plot[] {
  const lines = linesOf(
    seriesIn(results, "uncontended").filter(({ cell }) => cell.nodeCount === nodeCount),
    ({ inFlight }) => inFlight,
    (sample) => sample.cyclesPerSecond,
  );
  const caption = `Cycles per second by cycles in flight, ${nodeCount} node${nodeCount === 1 ? "" : "s"}`;
  const titles = { title: caption, xTitle: "cycles in flight", yTitle: "cycles/s" };
  return plotOf(`cycles-${nodeCount}`, caption, lines, () =>
    linePlot({ ...titles, isLog: true, lines }),
  );
}

/** Of what a user compares. Rounds are interleaved, so a round is compared with itself. */
function floorPlot(results: Results): Plot[] {
  const all = seriesIn(results, "uncontended");
  const of = (cell: Cell, subjectName: string): readonly Sample[] =>
    all.find((one) => one.subjectName === subjectName && isSameCell(one.cell, cell))?.samples ?? [];
  const names = ["quorate", "redlock", "redis-semaphore", "raw"];
  if (!["raw-socket", ...names].every((name) => SPEED_CELLS.every((cell) => of(cell, name)[0])))
    return [];
  const caption = "Time per cycle of acquire and release, as a multiple of that on bare sockets";
  const groups = SPEED_CELLS.map((cell) => ({
    name: cellName(cell),
    values: names.map((name) =>
      spreadOf(
        of(cell, name).map((sample, round) => {
          const floor = of(cell, "raw-socket")[round]?.cyclesPerSecond ?? Number.NaN;
          return floor / sample.cyclesPerSecond;
        }),
      ),
    ),
  }));
  const svg = barPlot({
    ...{ title: caption, valueTitle: "times the floor", groups },
    names: names.map(legendName),
    floor: { name: "floor: bare sockets", value: 1 },
  });
  return [{ file: FLOOR_FILE, caption, svg }];
}

function cpuPlot(results: Results): Plot[] {
  const lines = linesOf(
    seriesIn(results, "uncontended").filter(({ cell }) => cell.inFlight === 64),
    ({ nodeCount }) => nodeCount,
    totalCpuUs,
  );
  const caption = "CPU of client and nodes per cycle, by nodes, 64 in flight";
  const titles = { title: caption, xTitle: "nodes", yTitle: "µs per cycle" };
  return plotOf("cpu", caption, lines, () => linePlot({ ...titles, isLog: true, lines }));
}

function waitPlot(results: Results): Plot[] {
  const where = contentionName(MAIN_CONTENTION);
  const lines = seriesIn(results, "contended")
    .filter(({ contention }) => contentionName(contention) === where)
    .map(({ subjectName, samples }): Line => ({
      name: legendName(subjectName),
      points: WAIT_QUANTILES.flatMap((quantile, index) =>
        pointOf(
          quantile,
          samples.map(({ waitQuantilesMs }) => waitQuantilesMs[index] ?? Number.NaN),
        ),
      ),
    }))
    .filter(({ points }) => points.length > 0);
  const caption = `Time to wait for a lock, ${where}`;
  const titles = { title: caption, xTitle: "share of waits up to this", yTitle: "ms" };
  const xLabel = (share: number): string => `${share * 100}%`;
  return plotOf("waits", caption, lines, () => linePlot({ ...titles, isLog: true, lines, xLabel }));
}

export const handOverFile = ([processCount, workerCount]: Shape): string =>
  `hand-overs-${processCount}x${workerCount}.svg`;

/** Where every section was measured. */
function handOverPlot(results: Results, [processCount, workerCount]: Shape): Plot[] {
  const all = seriesIn(results, "contended");
  const of = (sectionMs: number, subjectName: string): ContendedSeries | undefined =>
    all.find(
      (one) =>
        one.subjectName === subjectName &&
        contentionName(one.contention) === contentionName({ processCount, workerCount, sectionMs }),
    );
  const names = CONTENDED_SUBJECTS.filter((name) => SECTIONS_MS.every((ms) => of(ms, name)));
  if (names.length === 0) return [];
  const shape = `${processCount} x ${workerCount} workers`;
  const caption = `Hand-overs per second, ${shape}, five nodes, by the time for which the lock is held`;
  const groups = SECTIONS_MS.map((sectionMs) => ({
    name: `${sectionMs} ms`,
    values: names.map((name) =>
      spreadOf(of(sectionMs, name)?.samples.map((sample) => sample.handOversPerSecond) ?? []),
    ),
  }));
  const svg = barPlot({
    ...{ title: caption, valueTitle: "hand-overs/s", groups },
    names: names.map(legendName),
  });
  return [{ file: handOverFile([processCount, workerCount]), caption, svg }];
}

function faultPlot(results: Results): Plot[] {
  const faults = seriesIn(results, "faults");
  if (faults.length === 0) return [];
  const caption = "Acquire p99 with faulty nodes, five nodes";
  const groups = faults.map(({ faultCase, outage: ordinal, samples }) => ({
    name: `${faultCaseName(faultCase)}, ${ordinal}`,
    values: [
      spreadOf(samples.map(({ healthy }) => healthy.p99Ms)),
      spreadOf(samples.map(({ outage }) => outage.p99Ms)),
    ],
  }));
  const names = ["all nodes healthy", "during the outage"];
  const svg = barPlot({ title: caption, valueTitle: "p99, ms", names, groups });
  return [{ file: "faults.svg", caption, svg }];
}

/** Subjects whose name alone says too little. */
const LEGEND_NAMES: Readonly<Record<string, string>> = {
  "quorate-fair": "quorate, fair: true",
  "quorate-cluster": "quorate on Clusters",
  sesamecare: "@sesamecare-oss/redlock",
  poll: "SET NX, polling",
  "floor-granted": "floor: the release grants",
  raw: "SET NX by hand",
  "raw-autopipelined": "SET NX, autopipelined",
  "raw-socket": "plain sockets",
};

const legendName = (subjectName: string): string => LEGEND_NAMES[subjectName] ?? subjectName;

/** One line per subject: its figure over a number of cells. */
function linesOf(
  series: readonly Series[],
  x: (cell: Cell) => number,
  of: (sample: Sample) => number,
): Line[] {
  const names = [...new Set(series.map(({ subjectName }) => subjectName))];
  return names.map((name) => ({
    name: legendName(name),
    points: series
      .filter(({ subjectName }) => subjectName === name)
      .flatMap(({ cell, samples }) => pointOf(x(cell), samples.map(of)))
      .toSorted((a, b) => a.x - b.x),
  }));
}

/** None if there is no value, or one that has no logarithm. */
function pointOf(x: number, values: readonly number[]): LinePoint[] {
  const { median, min, max } = spreadOf(values);
  return min > 0 ? [{ x, y: median, min, max }] : [];
}

function plotOf(name: string, caption: string, lines: readonly Line[], draw: () => string): Plot[] {
  if (!lines.some(({ points }) => points.length > 1)) return [];
  return [{ file: `${name}.svg`, caption, svg: draw() }];
}
