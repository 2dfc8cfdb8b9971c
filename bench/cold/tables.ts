import { seriesTable, type Column, type Show } from "../text/table.js";
import { cellName } from "../uncontended/cell.js";
import type { ColdSeries } from "./run.js";
import type { ColdSample } from "./sample.js";

const COLUMNS: readonly Column<ColdSample>[] = [
  { of: (one) => one.importCpuMs, title: "CPU of import, ms", digits: 1 },
  { of: (one) => one.firstLockMs, title: "first lock, ms", digits: 1 },
  { of: (one) => one.firstLockCpuMs, title: "its CPU, ms", digits: 1 },
  { of: (one) => one.cycleCpuUs, title: "CPU of the first cycles, µs per cycle", digits: 0 },
];

export function coldTable(series: readonly ColdSeries[], show?: Show): string {
  const rows = series.map(({ cell, library, samples }) => ({
    titles: [cellName(cell), library],
    samples,
  }));
  return seriesTable(["cell", "library"], COLUMNS, rows, show);
}
