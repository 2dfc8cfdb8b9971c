import { seriesTable, type Column, type Show } from "../text/table.js";
import { cellName, isSameCell } from "../uncontended/cell.js";
import { totalCpuUs, type Sample } from "../uncontended/sample.js";
import { cellsOf } from "../uncontended/tables.js";
import { besideBestPeer, CPU, P50, SPEED } from "../uncontended/targets.js";
import type { ServerSeries } from "./run.js";

type Row = Sample & Readonly<Record<"speedRatio" | "cpuRatio" | "p50Ratio", number>>;

const COLUMNS: readonly Column<Row>[] = [
  { of: (one) => one.cyclesPerSecond, title: "cycles/s", digits: 0 },
  { of: (one) => one.speedRatio, title: "/ best peer", digits: 2 },
  { of: totalCpuUs, title: "all CPU µs", digits: 1 },
  { of: (one) => one.cpuRatio, title: "/ best peer", digits: 2 },
  { of: (one) => one.p50Ms, title: "p50 ms", digits: 3 },
  { of: (one) => one.p50Ratio, title: "/ best peer", digits: 2 },
];

/** Quorate on each server, next to the best peer on the same server. */
export function serversTable(series: readonly ServerSeries[], show?: Show): string {
  const servers = [...new Set(series.map(({ server }) => server))];
  const rows = servers.flatMap((server) => {
    const own = series.filter((one) => one.server === server);
    return cellsOf(own).map((cell) => {
      const [speeds, cpus, p50s] = [SPEED, CPU, P50].map((figure) =>
        besideBestPeer(own, cell, figure),
      );
      const ours = own.find((one) => one.subjectName === "quorate" && isSameCell(one.cell, cell));
      const samples = (ours?.samples ?? []).map((sample, round) => ({
        ...sample,
        speedRatio: speeds?.[round] ?? Number.NaN,
        cpuRatio: cpus?.[round] ?? Number.NaN,
        p50Ratio: p50s?.[round] ?? Number.NaN,
      }));
      return { titles: [server, cellName(cell)], samples };
    });
  });
  return seriesTable(["server", "cell"], COLUMNS, rows, show);
}
