import { contentionName } from "./contended/contention.js";
import { BARE_CONTENTION, FLEET_CONTENTION, MAIN_CONTENTION } from "./contended/plan.js";
import type { ContendedSample } from "./contended/sample.js";
import { faultCaseName } from "./faults/fault.js";
import type { FaultSample } from "./faults/sample.js";
import type { HeldSample } from "./held/sample.js";
import { spreadOf } from "./numbers/spread.js";
import { seriesIn, type Results } from "./results.js";
import { aligned, format, medianOnly, seriesTable, type Column } from "./text/table.js";
import { cellName, isSameCell } from "./uncontended/cell.js";
import { availabilityTable } from "./uncontended/tables.js";
import { SPEED_CELLS } from "./uncontended/targets.js";
import type { WaitedSample } from "./waited/sample.js";

/*
 * What pages show of the results: the rows and columns that a user needs, as medians. The report has all of them, with
 * their ranges.
 */

/** Subjects that a reader knows, by their name in the tables. */
const KNOWN: Readonly<Record<string, string>> = {
  quorate: "Quorate",
  redlock: "redlock",
  "redis-semaphore": "redis-semaphore",
  raw: "`SET NX` by hand, ioredis",
  "raw-socket": "the same on bare sockets",
};

/** Cycles per second and, in brackets, the median latency. */
export function speedTable(
  results: Results,
  subjectNames: readonly string[] = Object.keys(KNOWN),
): string {
  const series = seriesIn(results, "uncontended");
  const rows = SPEED_CELLS.map((cell) => [
    cellName(cell),
    ...subjectNames.map((name) => {
      const one = series.find((each) => each.subjectName === name && isSameCell(each.cell, cell));
      if (one === undefined) return "";
      const median = (of: "cyclesPerSecond" | "p50Ms"): number =>
        spreadOf(one.samples.map((sample) => sample[of])).median;
      return `${format(median("cyclesPerSecond"), 0)} (${format(median("p50Ms"), 3)} ms)`;
    }),
  ]);
  return aligned([
    ["cycles/s (median latency)", ...subjectNames.map((name) => KNOWN[name] ?? name)],
    ...rows,
  ]);
}

export const nodesTable = (results: Results): string =>
  availabilityTable(
    seriesIn(results, "uncontended").filter(({ cell }) => [1, 64].includes(cell.inFlight)),
  );

const CONTENDED: readonly Column<ContendedSample>[] = [
  { of: (one) => one.handOversPerSecond, title: "hand-overs/s", digits: 0 },
  { of: (one) => one.waitP50Ms, title: "wait p50 ms", digits: 1 },
  { of: (one) => one.waitP99Ms, title: "p99 ms", digits: 1 },
  { of: (one) => one.jainIndex, title: "Jain index", digits: 2 },
];

/** Those that the targets apply to; the rest of the matrix is in the charts. */
const CONTENTIONS = [MAIN_CONTENTION, FLEET_CONTENTION, BARE_CONTENTION].map(contentionName);

export function contentionTable(results: Results): string {
  const rows = seriesIn(results, "contended")
    .filter(({ contention }) => CONTENTIONS.includes(contentionName(contention)))
    .filter(({ subjectName }) => ["quorate", "redis-semaphore"].includes(subjectName))
    .map(({ contention, subjectName, samples }) => ({
      ...{ titles: [contentionName(contention), subjectName], samples },
    }));
  return seriesTable(["processes x workers", "library"], CONTENDED, rows, medianOnly);
}

const HELD: readonly Column<HeldSample>[] = [
  { of: (one) => one.clientCpuShare * 100, title: "client CPU, % of a core", digits: 1 },
  { of: (one) => one.serverCpuShare * 100, title: "CPU of all nodes, %", digits: 1 },
  { of: (one) => one.heapBytesPerLock, title: "heap bytes per lock", digits: 0 },
  { of: (one) => one.acquireP50Ms, title: "acquire meanwhile, p50 ms", digits: 2 },
  { of: (one) => one.lostCount, title: "lost", digits: 0 },
];

export function heldPageTable(results: Results): string {
  const rows = seriesIn(results, "held").map(({ lockCount, samples }) => ({
    ...{ titles: [format(lockCount, 0)], samples },
  }));
  return seriesTable(["locks held"], HELD, rows, medianOnly);
}

const WAITED: readonly Column<WaitedSample>[] = [
  { of: (one) => one.clientCpuShare * 100, title: "client CPU, % of a core", digits: 1 },
  { of: (one) => one.wakeP50Ms, title: "release to grant, p50 ms", digits: 1 },
  { of: (one) => one.wakeP99Ms, title: "p99 ms", digits: 1 },
  { of: (one) => one.lateCount, title: "lost wake-ups", digits: 0 },
];

export function waitedPageTable(results: Results): string {
  const rows = seriesIn(results, "waited").map(({ nameCount, samples }) => ({
    ...{ titles: [format(nameCount, 0)], samples },
  }));
  return seriesTable(["names waited for"], WAITED, rows, medianOnly);
}

const FAULTY: readonly Column<FaultSample>[] = [
  { of: ({ healthy }) => healthy.p50Ms, title: "p50 ms before", digits: 2 },
  { of: ({ outage }) => outage.p50Ms, title: "during", digits: 2 },
  { of: ({ healthy }) => healthy.p99Ms, title: "p99 ms before", digits: 2 },
  { of: ({ outage }) => outage.p99Ms, title: "during", digits: 2 },
  { of: ({ outage }) => outage.failedCount, title: "failed", digits: 0 },
];

/** Of the second outage of a process: in the first, some code runs for the first time. */
export function faultsPageTable(results: Results): string {
  const rows = seriesIn(results, "faults")
    .filter(({ outage }) => outage === "second")
    .map(({ faultCase, samples }) => ({ titles: [faultCaseName(faultCase)], samples }));
  return seriesTable(["of five nodes"], FAULTY, rows, medianOnly);
}

/** An acquire at each distance of the nodes, and a PING to the node that completes a quorum. */
export function farTable(results: Results): string {
  const series = seriesIn(results, "wide");
  const networks = [...new Set(series.map(({ network }) => network.name))];
  const medianOf = (network: string, subject: string, of: "boundMs" | "acquireP50Ms"): string => {
    const one = series.find((each) => {
      return each.network.name === network && each.subjectName === subject;
    });
    return format(spreadOf(one?.samples.map((sample) => sample[of]) ?? []).median, 1);
  };
  const subjects = ["quorate", "redlock", "redis-semaphore"];
  return aligned([
    ["nodes at", "PING", ...subjects.map((name) => KNOWN[name] ?? name)],
    ...networks.map((network) => [
      network,
      medianOf(network, "quorate", "boundMs"),
      ...subjects.map((subject) => medianOf(network, subject, "acquireP50Ms")),
    ]),
  ]);
}
