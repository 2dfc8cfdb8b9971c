import type { CallRecord, ChaosRecord } from "../history/records.js";
import type { Fault, FaultKind } from "../nemesis/faults.js";
import type { CampaignSettings } from "../settings.js";
import { beliefsOf } from "./beliefs.js";
import { cutSpansOf, isCutOff } from "./cut-spans.js";
import { percentile } from "./percentile.js";

/** The results of a campaign in numbers. */
export interface Figures {
  readonly durationMs: number;
  readonly processCount: number;
  /** Calls by kind and result. */
  readonly results: Readonly<Record<CallRecord["what"], Readonly<Record<string, number>>>>;
  readonly callCount: number;
  readonly updateCount: Readonly<Record<"fenced" | "unfenced", number>>;
  /** Updates that were overwritten by a client that had not seen them. */
  readonly lostUpdateCount: Readonly<Record<"fenced" | "unfenced", number>>;
  readonly rejectedCount: number;
  readonly lostByReason: Readonly<Record<string, number>>;
  readonly faultsByKind: Readonly<Partial<Record<FaultKind, number>>>;
  readonly faultCount: number;
  /**
   * The share of acquires without contention that were granted. Such an acquire fails only if no quorum was available
   * within one ttl. Acquires of clients that were cut off from any node at the time do not count: they may have been
   * without a quorum.
   */
  readonly availability: number;
  readonly ownCount: number;
  readonly ownLatencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Time between the end of a hold that was not released and the next grant of the name. */
  readonly smallestTakeoverMs: number;
}

export function figuresOf(records: readonly ChaosRecord[], settings: CampaignSettings): Figures {
  const calls = new Map<string, CallRecord>();
  const results = { acquire: {}, extend: {}, release: {} } as Record<
    CallRecord["what"],
    Record<string, number>
  >;
  const own: { readonly isGranted: boolean; readonly tookMs: number }[] = [];
  const updateCount = { fenced: 0, unfenced: 0 };
  const lostByReason: Record<string, number> = {};
  const processes = new Set<string>();
  const cuts = cutSpansOf(records);
  let rejectedCount = 0;
  for (const record of records) {
    if (record.kind === "call") calls.set(`${record.process} ${record.call}`, record);
    else if (record.kind === "settle") {
      const call = calls.get(`${record.process} ${record.call}`);
      if (call === undefined) continue;
      count(results[call.what], record.result);
      if (call.what !== "acquire" || !call.name.startsWith("own:")) continue;
      // The client was told to finish: that says nothing about the nodes.
      if (record.result === "aborted" || isCutOff(cuts, record.process, call.atUs, record.atUs)) {
        continue;
      }
      const tookMs = record.steadyMs - call.steadyMs;
      own.push({ isGranted: record.result === "granted", tookMs });
    } else if (record.kind === "store") {
      if (record.what === "write") updateCount[record.store]++;
      else if (record.what === "reject") rejectedCount++;
    } else if (record.kind === "lost") count(lostByReason, record.reason);
    else if (record.kind === "process" && record.what === "start") processes.add(record.process);
  }
  const faults = faultsOf(records);
  const grantedCount = own.filter(({ isGranted }) => isGranted).length;
  const tookMs = own.filter(({ isGranted }) => isGranted).map(({ tookMs }) => tookMs);
  return {
    durationMs: settings.durationMs,
    processCount: processes.size,
    results,
    callCount: calls.size,
    updateCount,
    lostUpdateCount: lostUpdatesOf(records),
    rejectedCount,
    lostByReason,
    faultsByKind: countBy(faults),
    faultCount: faults.length,
    availability: own.length === 0 ? Number.NaN : grantedCount / own.length,
    ownCount: own.length,
    ownLatencyMs: {
      p50: percentile(tookMs, 0.5),
      p99: percentile(tookMs, 0.99),
      max: percentile(tookMs, 1),
    },
    smallestTakeoverMs: smallestTakeoverMs(records),
  };
}

/** From the versions in the stores: each write stores the version it was based on, plus one. */
function lostUpdatesOf(records: readonly ChaosRecord[]): Figures["lostUpdateCount"] {
  const versions = new Map<string, number>();
  const lost = { fenced: 0, unfenced: 0 };
  for (const record of records) {
    if (record.kind !== "store" || record.what !== "write") continue;
    const cell = `${record.store} ${record.name}`;
    if (record.base !== (versions.get(cell) ?? 0)) lost[record.store]++;
    versions.set(cell, record.base + 1);
  }
  return lost;
}

/** Faults that actually began. */
export function faultsOf(records: readonly ChaosRecord[]): Fault[] {
  const plan = records.find((record) => record.kind === "run")?.plan ?? [];
  return records.flatMap((record) => {
    if (record.kind !== "fault" || record.what !== "begin") return [];
    return plan[record.id] ?? [];
  });
}

function smallestTakeoverMs(records: readonly ChaosRecord[]): number {
  const previous = new Map<string, { endUs: number; why: string }>();
  let smallestUs = Infinity;
  const inOrder = [...beliefsOf(records).values()].toSorted((a, b) => a.grant.atUs - b.grant.atUs);
  for (const { grant, endUs, why } of inOrder) {
    const before = previous.get(grant.name);
    if (before && before.why !== "released") {
      smallestUs = Math.min(smallestUs, grant.atUs - before.endUs);
    }
    previous.set(grant.name, { endUs, why });
  }
  return smallestUs / 1_000;
}

function countBy(faults: readonly Fault[]): Partial<Record<FaultKind, number>> {
  const counts: Partial<Record<FaultKind, number>> = {};
  for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
