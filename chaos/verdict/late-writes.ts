import type { Violation } from "../../sim/oracles/history.js";
import type { ChaosRecord, StoreRecord } from "../history/records.js";
import { beliefsOf } from "./beliefs.js";

/** A write that reached its store after the validity of its writer's lock had ended. */
export type LateWrite = StoreRecord;

/**
 * Late writes that the unfenced store accepted. A client can be stopped between its check and its write, and a
 * message can be on its way when the lock ends. No lock can prevent that; the fencing token does.
 */
export function lateWritesOf(records: readonly ChaosRecord[]): LateWrite[] {
  const beliefs = beliefsOf(records);
  return records.filter(
    (record): record is StoreRecord =>
      record.kind === "store" &&
      record.store === "unfenced" &&
      record.what === "write" &&
      record.atUs > (beliefs.get(record.ownerId)?.validUntilUs ?? 0),
  );
}

/** Whether a late write explains the lost update. */
export function isByLateWrite(
  { id, atUs }: Violation,
  records: readonly ChaosRecord[],
  late: readonly LateWrite[],
): boolean {
  if (id !== "F3") return false;
  const accesses = records.filter(
    (record): record is StoreRecord => record.kind === "store" && record.store === "unfenced",
  );
  const write = accesses.find((record) => record.atUs === atUs && record.what === "write");
  if (write === undefined) return false;
  const read = accesses.findLast(
    (record) => record.what === "read" && record.ownerId === write.ownerId && record.atUs <= atUs,
  );
  const fromUs = read?.atUs ?? atUs;
  return late.some(
    (other) => other.name === write.name && other.atUs >= fromUs && other.atUs <= atUs,
  );
}
