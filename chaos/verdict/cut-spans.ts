import type { ChaosRecord } from "../history/records.js";
import { cutsOf, type Cut } from "../nemesis/faults.js";

/** Time that a client needs to see nodes again after a cut, µs: a reconnect and a handshake, on a busy host. */
const RETURN_US = 1_500_000;

/** The time in which a client was cut off from some nodes. */
export interface CutSpan extends Cut {
  readonly fromUs: number;
  /** Infinity if the history ends first. */
  readonly toUs: number;
}

/** All cuts of single clients, ordered by time. */
export function cutSpansOf(records: readonly ChaosRecord[]): CutSpan[] {
  const plan = records.find((record) => record.kind === "run")?.plan ?? [];
  const ends = new Map<number, number>();
  for (const record of records) {
    if (record.kind === "fault" && record.what === "end") ends.set(record.id, record.atUs);
  }
  return records.flatMap((record) => {
    const fault = record.kind === "fault" && record.what === "begin" ? plan[record.id] : undefined;
    if (fault === undefined) return [];
    const times = { fromUs: record.atUs, toUs: ends.get(fault.id) ?? Infinity };
    return cutsOf(fault).map((cut) => ({ ...cut, ...times }));
  });
}

/** Whether the process was cut off, or had just been, at any time between two instants. */
export function isCutOff(
  spans: readonly CutSpan[],
  process: string,
  fromUs: number,
  toUs: number,
): boolean {
  // `c3.2` is on seat 3.
  const seat = Number(process.slice(1).split(".")[0]);
  return spans.some(
    (span) => span.client === seat && span.fromUs <= toUs && fromUs <= span.toUs + RETURN_US,
  );
}
