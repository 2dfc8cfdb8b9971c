import { format, seriesTable, type Column, type Show } from "../text/table.js";
import type { HeldSeries } from "./run.js";
import type { HeldSample } from "./sample.js";

const COLUMNS: readonly Column<HeldSample>[] = [
  { of: (one) => one.clientCpuShare * 100, title: "client CPU, % of a core", digits: 2 },
  { of: (one) => one.serverCpuShare * 100, title: "CPU of all nodes, %", digits: 2 },
  { of: (one) => one.heapBytesPerLock, title: "heap bytes per lock", digits: 0 },
  { of: (one) => one.callsPerNode, title: "script calls/s per node", digits: 1 },
  { of: (one) => one.executedPerNode, title: "commands/s per node", digits: 0 },
  { of: (one) => one.acquireP50Ms, title: "acquire meanwhile, p50 ms", digits: 3 },
  { of: (one) => one.acquireP99Ms, title: "p99 ms", digits: 3 },
  { of: (one) => one.lostCount, title: "lost", digits: 0 },
  { of: (one) => one.toldP50Ms, title: "told after an end by force, p50 ms", digits: 2 },
  { of: (one) => one.toldMaxMs, title: "max ms", digits: 1 },
  { of: (one) => one.untoldCount, title: "not told", digits: 0 },
];

export function heldTable(series: readonly HeldSeries[], show?: Show): string {
  const rows = series.map(({ lockCount, samples }) => ({
    titles: [format(lockCount, 0)],
    samples,
  }));
  return seriesTable(["locks"], COLUMNS, rows, show);
}
