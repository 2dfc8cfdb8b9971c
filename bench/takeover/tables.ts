import { format, seriesTable, type Column, type Show } from "../text/table.js";
import type { TakeoverSeries } from "./run.js";
import type { TakeoverSample } from "./sample.js";

const COLUMNS: readonly Column<TakeoverSample>[] = [
  { of: (one) => one.waiterMs / 1_000, title: "waiter, s", digits: 2 },
  { of: (one) => one.waiterMs / one.base.waiterMs, title: "/ without a margin", digits: 2 },
  { of: (one) => one.newcomerMs / 1_000, title: "new process, s", digits: 2 },
  { of: (one) => one.newcomerMs / one.base.newcomerMs, title: "/ without a margin", digits: 2 },
];

export function takeoverTable(series: readonly TakeoverSeries[], show?: Show): string {
  const rows = series.map(({ ttlMs, clockStepMs, samples }) => ({
    titles: [format(ttlMs, 0), format(clockStepMs, 0)],
    samples,
  }));
  return seriesTable(["ttlMs", "clockStepMs"], COLUMNS, rows, show);
}
