import { outwaitMs } from "../../src/protocol/lease-times.js";
import type { CallRecord, ChaosRecord } from "../history/records.js";
import { cutsOf, describeFault, forgetsOn, type Fault } from "../nemesis/faults.js";
import type { CampaignSettings } from "../settings.js";
import { beliefsOf } from "../verdict/beliefs.js";
import type { Figures } from "../verdict/figures.js";
import type { Verdict } from "../verdict/verdict.js";
import { aroundOf } from "./around.js";
import type { FaultSpan, PageData } from "./page-data.js";

/** How many violations are shown together with the surrounding operations. */
const MOST_SHOWN = 200;

/** Collects the data of the page from a history and the violations found in it. */
export function collect(
  records: readonly ChaosRecord[],
  settings: CampaignSettings,
  figures: Figures,
  verdict: Verdict,
): PageData {
  const endMs = (records.at(-1)?.atUs ?? 0) / 1_000;
  const faults = faultSpans(records, endMs);
  const processes = unique(records.flatMap((r) => (r.kind === "process" ? r.process : [])));
  const names = Array.from({ length: settings.nameCount }, (_, at) => `job:${at}`);
  const shown = [
    ...verdict.violations.map((violation) => ({ violation, isExpected: false })),
    ...verdict.expected.map((violation) => ({ violation, isExpected: true })),
  ]
    .slice(0, MOST_SHOWN)
    .toSorted((a, b) => a.violation.atUs - b.violation.atUs);
  return {
    settings,
    figures,
    endMs,
    names,
    processes,
    holds: holdRows(records, processes, names),
    faults: faults.map(({ span }) => span),
    quarantines: faults.flatMap((entry) => quarantinesOf(entry, settings)),
    stops: stopsOf(records, endMs),
    marks: marksOf(records),
    ...callsOf(records, endMs),
    violations: shown.map(({ violation, isExpected }) => ({
      id: violation.id,
      at: violation.atUs / 1_000,
      message: violation.message,
      isExpected,
      around: aroundOf(violation, records),
    })),
    lateWriteCount: verdict.lateWriteCount,
  };
}

function holdRows(
  records: readonly ChaosRecord[],
  processes: readonly string[],
  names: readonly string[],
): PageData["holds"] {
  const processAt = new Map(processes.map((process, at) => [process, at]));
  return [...beliefsOf(records).values()]
    .filter(({ grant }) => names.includes(grant.name))
    .map(({ grant, endUs, why, askedUs }) => {
      const { atUs, process, name, token, ownerId } = grant;
      const who = processAt.get(process) ?? 0;
      const times = [round(atUs), round(endUs)] as const;
      const owner = ownerId.slice(0, 8);
      return [...times, who, names.indexOf(name), token, why, round(askedUs), owner] as const;
    })
    .toSorted((a, b) => a[0] - b[0]);
}

interface SpanOfFault {
  readonly fault: Fault;
  readonly span: FaultSpan;
}

function faultSpans(records: readonly ChaosRecord[], endMs: number): SpanOfFault[] {
  const plan = records.find((record) => record.kind === "run")?.plan ?? [];
  const ends = new Map<number, number>();
  for (const record of records) {
    if (record.kind === "fault" && record.what === "end") ends.set(record.id, round(record.atUs));
  }
  return records.flatMap((record) => {
    if (record.kind !== "fault" || record.what !== "begin") return [];
    const fault = plan[record.id];
    if (fault === undefined) return [];
    const { kind, nodes, client = null, id } = fault;
    const times = { from: round(record.atUs), to: ends.get(id) ?? endMs };
    const span: FaultSpan = { kind, text: describeFault(fault), ...times, nodes, client };
    return spansOf(span, fault).map((span) => ({ fault, span }));
  });
}

/** One per lane on which it is shown, or per part of the fault. */
function spansOf(span: FaultSpan, fault: Fault): FaultSpan[] {
  const cuts = cutsOf(fault);
  if (cuts.length > 0) return cuts.map((cut) => ({ ...span, ...cut }));
  return fault.kind === "relay" ? legsOf(span, fault) : [span];
}

/** First some nodes are cut off; as they come back, the last one restarts. */
function legsOf(span: FaultSpan, { nodes, forMs }: Fault): FaultSpan[] {
  const handover = Math.min(span.from + forMs, span.to);
  return [
    { ...span, kind: "blackhole", nodes: nodes.slice(0, -1) },
    { ...span, kind: "empty", nodes: nodes.slice(-1), from: handover },
  ];
}

function quarantinesOf(
  { fault, span }: SpanOfFault,
  { maxTtlMs, driftFactor }: CampaignSettings,
): PageData["quarantines"][number][] {
  const lengthMs = outwaitMs(maxTtlMs, driftFactor);
  return span.nodes
    .filter((node) => forgetsOn(fault, node))
    .map((node) => [node, span.to, span.to + lengthMs] as const);
}

function stopsOf(records: readonly ChaosRecord[], endMs: number): PageData["stops"] {
  const open = new Map<string, number>();
  const stops: PageData["stops"][number][] = [];
  for (const record of records) {
    if (record.kind === "stall") {
      stops.push([seatOf(record.process), round(record.atUs), round(record.untilUs), "stalled"]);
    } else if (record.kind === "process" && record.what === "pause") {
      open.set(record.process, round(record.atUs));
    } else if (record.kind === "process" && (record.what === "resume" || record.what === "crash")) {
      const from = open.get(record.process);
      if (from !== undefined) {
        stops.push([seatOf(record.process), from, round(record.atUs), "stopped"]);
      }
      open.delete(record.process);
    }
  }
  for (const [process, from] of open) stops.push([seatOf(process), from, endMs, "stopped"]);
  return stops;
}

function marksOf(records: readonly ChaosRecord[]): PageData["marks"] {
  return records.flatMap((record): PageData["marks"][number][] => {
    if (record.kind === "lost") {
      const what = `lost ${record.name} (${record.reason})`;
      return [[seatOf(record.process), round(record.atUs), what]];
    }
    if (record.kind === "store" && record.what === "reject") {
      const what = `rejected: token ${record.token} of ${record.name} was too old for the store`;
      return [[seatOf(record.process), round(record.atUs), what]];
    }
    if (record.kind !== "process" || (record.what !== "crash" && record.what !== "start"))
      return [];
    const what = record.what === "crash" ? "killed" : "started";
    return [[seatOf(record.process), round(record.atUs), `${what} ${record.process}`]];
  });
}

function callsOf(
  records: readonly ChaosRecord[],
  endMs: number,
): Pick<PageData, "probes" | "seconds"> {
  const calls = new Map<string, CallRecord>();
  const probes: PageData["probes"][number][] = [];
  const seconds = Array.from(
    { length: Math.ceil(endMs / 1_000) },
    () => [0, 0, 0] as [number, number, number],
  );
  for (const record of records) {
    if (record.kind === "call") calls.set(`${record.process} ${record.call}`, record);
    if (record.kind !== "settle") continue;
    const call = calls.get(`${record.process} ${record.call}`);
    if (call?.what !== "acquire" || record.result === "aborted") continue;
    const second = seconds[Math.floor(record.atUs / 1e6)];
    const isGranted = record.result === "granted";
    if (second) second[isGranted ? 0 : record.result === "held" ? 1 : 2]++;
    if (!call.name.startsWith("own:")) continue;
    probes.push([
      round(call.atUs),
      round((record.steadyMs - call.steadyMs) * 1_000),
      isGranted ? 1 : 0,
    ]);
  }
  return { probes, seconds };
}

/** `c3.2` is on seat 3. */
function seatOf(process: string): number {
  return Number(process.slice(1).split(".")[0]);
}

/** ms with two decimals: finer than a pixel, and the page stays small. */
function round(us: number): number {
  return Math.round(us / 10) / 100;
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
