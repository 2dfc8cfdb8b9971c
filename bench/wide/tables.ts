import { seriesTable, type Column, type Show } from "../text/table.js";
import type { WideSeries } from "./run.js";
import type { WideSample } from "./sample.js";

const COLUMNS: readonly Column<WideSample>[] = [
  { of: (one) => one.boundMs, title: "bound ms", digits: 2 },
  { of: (one) => one.acquireP50Ms, title: "acquire p50 ms", digits: 2 },
  { of: (one) => one.acquireP50Ms / one.boundMs, title: "/ bound", digits: 2 },
  { of: (one) => one.acquireP99Ms, title: "p99", digits: 2 },
  { of: (one) => one.cycleP50Ms, title: "cycle p50 ms", digits: 2 },
  { of: (one) => one.cycleP50Ms / one.boundMs, title: "/ bound", digits: 2 },
  { of: (one) => one.cycleP99Ms, title: "p99", digits: 2 },
  { of: (one) => one.handOverP50Ms, title: "hand-over p50 ms", digits: 2 },
  { of: (one) => one.handOverP50Ms / one.boundMs, title: "/ bound", digits: 2 },
  { of: (one) => one.handOverP99Ms, title: "p99", digits: 2 },
  { of: (one) => one.handOverCount, title: "hand-overs", digits: 0 },
];

export function wideTable(series: readonly WideSeries[], show?: Show): string {
  const rows = series.map(({ network, subjectName, samples }) => ({
    titles: [network.name, subjectName],
    samples,
  }));
  return seriesTable(["nodes at", "subject"], COLUMNS, rows, show);
}
