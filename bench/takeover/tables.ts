import { format, seriesTable, type Column } from "../text/table.js";
import type { TakeoverSeries } from "./run.js";
import type { TakeoverSample } from "./sample.js";

const COLUMNS: readonly Column<TakeoverSample>[] = [
  { of: (one) => one.waiterMs / 1_000, title: "one that waited, s", digits: 2 },
  { of: (one) => one.waiterMs / one.base.waiterMs, title: "without a margin 1", digits: 2 },
  { of: (one) => one.newcomerMs / 1_000, title: "a new process, s", digits: 2 },
  { of: (one) => one.newcomerMs / one.base.newcomerMs, title: "without a margin 1", digits: 2 },
];

export function takeoverTable(series: readonly TakeoverSeries[]): string {
  const rows = series.map(({ ttlMs, clockStepMs, samples }) => ({
    titles: [format(ttlMs, 0), format(clockStepMs, 0)],
    samples,
  }));
  return seriesTable(["ttlMs", "clockStepMs"], COLUMNS, rows);
}
