import { format, seriesTable, type Column, type Show } from "../text/table.js";
import type { ObservedSeries } from "./run.js";
import type { ObservedSample } from "./sample.js";

const COLUMNS: readonly Column<ObservedSample>[] = [
  { of: (one) => one.idleClientShare * 100, title: "no change: observers, % of a core", digits: 2 },
  { of: (one) => one.idleNodeShare * 100, title: "a node, %", digits: 2 },
  { of: (one) => one.clientUs, title: "a change: CPU of all observers, µs", digits: 0 },
  { of: (one) => one.nodeUs, title: "of a node, µs", digits: 0 },
  { of: (one) => one.nodeUs / one.base.nodeUs, title: "/ the first row", digits: 2 },
  { of: (one) => one.shownShare, title: "share of the changes shown", digits: 3 },
];

export function observedTable(series: readonly ObservedSeries[], show?: Show): string {
  const rows = series.map(({ managerCount, loopCount, samples }) => ({
    titles: [format(managerCount, 0), format(loopCount, 0)],
    samples,
  }));
  return seriesTable(["lock managers", "loops of each"], COLUMNS, rows, show);
}
