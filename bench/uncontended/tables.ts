import { spreadOf } from "../numbers/spread.js";
import { aligned, format, seriesTable, type Column, type Show } from "../text/table.js";
import { cellName, isSameCell, type Cell } from "./cell.js";
import type { Series } from "./run.js";
import { totalCpuUs, type Sample } from "./sample.js";

const COLUMNS: readonly Column<Sample>[] = [
  { of: (one) => one.cyclesPerSecond, title: "cycles/s", digits: 0 },
  { of: (one) => one.clientCpuUs, title: "client CPU µs", digits: 1 },
  { of: (one) => one.serverCpuUs, title: "CPU of nodes µs", digits: 1 },
  { of: totalCpuUs, title: "all CPU µs", digits: 1 },
  { of: (one) => one.p50Ms, title: "p50 ms", digits: 3 },
  { of: (one) => one.p99Ms, title: "p99 ms", digits: 3 },
  { of: (one) => one.sentPerNode, title: "sent per node", digits: 2 },
  { of: (one) => one.executedPerNode, title: "executed per node", digits: 2 },
];

/** One table per cell. CPU and commands are per cycle. */
export function cellTables(series: readonly Series[]): string {
  return cellsOf(series)
    .map((cell) => `#### ${cellName(cell)}\n\n${cellTable(cell, series)}`)
    .join("\n\n");
}

export function cellTable(cell: Cell, series: readonly Series[], show?: Show): string {
  const rows = series
    .filter((one) => isSameCell(one.cell, cell))
    .map(({ subjectName, samples }) => ({ titles: [subjectName], samples }));
  return seriesTable(["subject"], COLUMNS, rows, show);
}

export function cellsOf(series: readonly Series[]): Cell[] {
  const cells: Cell[] = [];
  for (const { cell } of series) {
    if (!cells.some((known) => isSameCell(known, cell))) cells.push(cell);
  }
  return cells;
}

/**
 * Subjects in columns, cells in rows: cycles/s and, in brackets, the CPU time of client and nodes, µs per cycle;
 * medians.
 */
export function overviewTable(series: readonly Series[]): string {
  const subjectNames = [...new Set(series.map(({ subjectName }) => subjectName))];
  const rows = cellsOf(series)
    .toSorted((a, b) => a.nodeCount - b.nodeCount || a.inFlight - b.inFlight)
    .map((cell) => [
      cellName(cell),
      ...subjectNames.map((name) => {
        const one = series.find((s) => s.subjectName === name && isSameCell(s.cell, cell));
        if (one === undefined) return "";
        return `${medianOf(one, (sample) => sample.cyclesPerSecond, 0)} (${medianOf(one, totalCpuUs, 1)})`;
      }),
    ]);
  return aligned([["cycles/s (CPU µs)", ...subjectNames], ...rows]);
}

/** What each additional node costs, for each concurrency. */
export function availabilityTable(series: readonly Series[]): string {
  const head = [
    "in flight",
    "nodes",
    "failures tolerated",
    "cycles/s",
    "p50 ms",
    "client CPU µs",
    "all CPU µs",
  ];
  const ours = series
    .filter(({ subjectName, cell }) => subjectName === "quorate" && cell.nodeCount % 2 === 1)
    .toSorted((a, b) => a.cell.inFlight - b.cell.inFlight || a.cell.nodeCount - b.cell.nodeCount);
  const rows = ours.flatMap((one) => {
    const { inFlight, nodeCount } = one.cell;
    const single = ours.find(({ cell }) => isSameCell(cell, { nodeCount: 1, inFlight }));
    const isCompared = ours.filter(({ cell }) => cell.inFlight === inFlight).length > 1;
    if (single === undefined || !isCompared) return [];
    const beside = (of: (sample: Sample) => number, digits: number): string =>
      besideSingle(one, single, of, digits);
    return [
      [
        `${inFlight}`,
        `${nodeCount}`,
        `${(nodeCount - 1) / 2}`,
        beside((sample) => sample.cyclesPerSecond, 0),
        beside((sample) => sample.p50Ms, 3),
        beside((sample) => sample.clientCpuUs, 1),
        beside(totalCpuUs, 1),
      ],
    ];
  });
  return aligned([head, ...rows]);
}

function besideSingle(
  one: Series,
  single: Series,
  of: (sample: Sample) => number,
  digits: number,
): string {
  const text = medianOf(one, of, digits);
  if (one === single) return text;
  const { median } = spreadOf(
    one.samples.map((sample, round) => of(sample) / ratioBase(single.samples[round], of)),
  );
  return `${text} (x ${format(median, 2)})`;
}

const ratioBase = (sample: Sample | undefined, of: (sample: Sample) => number): number =>
  sample === undefined ? Number.NaN : of(sample);

const medianOf = (one: Series, of: (sample: Sample) => number, digits: number): string =>
  format(spreadOf(one.samples.map(of)).median, digits);
