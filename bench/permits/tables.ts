import { format, seriesTable, type Column, type Show } from "../text/table.js";
import type { PermitsSeries } from "./run.js";
import type { PermitsSample } from "./sample.js";

const COLUMNS: readonly Column<PermitsSample>[] = [
  { of: (one) => one.requestsPerSecond, title: "requests/s", digits: 0 },
  { of: (one) => one.clientUs, title: "client CPU, µs a request", digits: 0 },
  { of: (one) => one.nodeUs, title: "a node's scripts, µs a request", digits: 0 },
  { of: (one) => one.nodeUs / one.base.nodeUs, title: "/ the first row", digits: 2 },
];

export function permitsTable(series: readonly PermitsSeries[], show?: Show): string {
  const rows = series.map(({ permits, heldCount, most, samples }) => ({
    titles: [format(permits, 0), format(heldCount, 0), most === 1 ? "1" : `1 to ${most}`],
    samples,
  }));
  return seriesTable(["permits", "held", "taken at once"], COLUMNS, rows, show);
}
