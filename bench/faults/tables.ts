import { aligned, seriesTable, type Column, type Show } from "../text/table.js";
import { FAULTS, faultCaseName } from "./fault.js";
import type { FaultSeries } from "./run.js";
import { bytesRatio, callsRatio, p50Ratio, p99Ratio, type FaultSample } from "./sample.js";

const LATENCY: readonly Column<FaultSample>[] = [
  { of: ({ healthy }) => healthy.p50Ms, title: "healthy p50 ms", digits: 3 },
  { of: ({ healthy }) => healthy.p99Ms, title: "healthy p99 ms", digits: 3 },
  { of: ({ outage }) => outage.p50Ms, title: "outage p50 ms", digits: 3 },
  { of: ({ outage }) => outage.p99Ms, title: "outage p99 ms", digits: 3 },
  { of: p50Ratio, title: "p50 ratio", digits: 2 },
  { of: p99Ratio, title: "p99 ratio", digits: 2 },
  { of: ({ outage }) => outage.maxMs, title: "outage max ms", digits: 1 },
  { of: ({ outage }) => outage.failedCount, title: "failed", digits: 0 },
];

const AFTERMATH: readonly Column<FaultSample>[] = [
  { of: ({ heapBytes }) => heapBytes.healthy / 1e6, title: "healthy heap MB", digits: 2 },
  { of: ({ heapBytes }) => heapBytes.early / 1e6, title: "early in the outage", digits: 2 },
  { of: ({ heapBytes }) => heapBytes.late / 1e6, title: "at its end", digits: 2 },
  { of: ({ normal }) => normal.calls, title: "normal calls/s", digits: 0 },
  { of: ({ recovery }) => recovery.calls, title: "calls/s after recovery", digits: 0 },
  { of: callsRatio, title: "calls ratio", digits: 2 },
  { of: ({ normal }) => normal.bytes / 1e3, title: "normal kB/s", digits: 0 },
  { of: ({ recovery }) => recovery.bytes / 1e3, title: "kB/s after recovery", digits: 0 },
  { of: bytesRatio, title: "kB ratio", digits: 2 },
];

const rowsOf = (series: readonly FaultSeries[]) =>
  series.map(({ faultCase, outage, samples }) => {
    return { titles: [faultCaseName(faultCase), outage], samples };
  });

const HEAD = ["faulty nodes", "outage"];

/** Latency of acquires while nodes are faulty. */
export const faultLatencyTable = (series: readonly FaultSeries[], show?: Show): string =>
  seriesTable(HEAD, LATENCY, rowsOf(series), show);

/** Memory during the outage, and the load on a node that is back. */
export const faultAftermathTable = (series: readonly FaultSeries[]): string =>
  seriesTable(HEAD, AFTERMATH, rowsOf(series));

/** Describes each fault. */
export const faultLegend = (): string =>
  aligned([["fault", "meaning"], ...Object.entries(FAULTS).map(([name, { how }]) => [name, how])]);
