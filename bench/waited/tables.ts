import { format, seriesTable, type Column, type Show } from "../text/table.js";
import type { WaitedSeries } from "./run.js";
import type { WaitedSample } from "./sample.js";

const COLUMNS: readonly Column<WaitedSample>[] = [
  { of: (one) => one.clientCpuShare * 100, title: "client CPU, % of a core", digits: 2 },
  { of: (one) => one.serverCpuShare * 100, title: "CPU per node, %", digits: 2 },
  { of: (one) => one.callsPerNode, title: "script calls/s per node", digits: 1 },
  { of: (one) => one.wakeP50Ms, title: "release to grant, p50 ms", digits: 3 },
  { of: (one) => one.wakeP99Ms, title: "p99 ms", digits: 3 },
  { of: (one) => one.wakeMaxMs, title: "max ms", digits: 1 },
  { of: (one) => one.lateCount, title: "lost wake-ups", digits: 0 },
];

export function waitedTable(series: readonly WaitedSeries[], show?: Show): string {
  const rows = series.map(({ nameCount, samples }) => ({
    titles: [format(nameCount, 0)],
    samples,
  }));
  return seriesTable(["names"], COLUMNS, rows, show);
}
