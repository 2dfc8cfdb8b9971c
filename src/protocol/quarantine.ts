/**
 * A node's record of itself, and what it says about the node's votes.
 *
 * A node that restarted empty, was flushed or failed over has lost grants whose holders may still be at work. So each
 * node keeps a record without ttl. If it is missing, or its run_id is not the server's, the node has lost its data:
 * the record is written again with a new id, and the node's acquire votes are void until a client has watched the
 * record for the longest lease in use. Every batch names the id it knows.
 */
import type { IncarnationRecord } from "./record.js";
import { outwaitMs } from "./lease-times.js";

/** A node as one client last saw it. */
export interface Sighting {
  /** Undefined where the node had none, and none should be written. */
  readonly record: IncarnationRecord | undefined;
  /** Node time at the sighting, ms. */
  readonly nodeTimeMs: number;
  /** When the node was asked, this client's monotonic clock, ms. */
  readonly sentSteadyMs: number;
  /** When it was seen, this client's monotonic clock, ms. */
  readonly seenSteadyMs: number;
  /** The same by this client's wall clock, ms. */
  readonly seenWallMs: number;
  /** This client knew the node under another id: it was connected when the node lost its data. */
  readonly sawChange: boolean;
  /** Before this client sent what wrote the record, lease clock, ms; undefined if another wrote it. */
  readonly ownSinceMs: number | undefined;
}

/** Clocks are read in whole ms and may be slewed, so ages are reduced by this. */
const AGE_GUARD_MS = 1_000;

/** Whether no lease that the node lost can still be valid. */
export function isTrusted({ record, sawChange }: Sighting): boolean {
  const state = record?.state;
  // A client that saw the loss knows better than one that took the node for new.
  return state === "attested" || state === "unkept" || (state === "open" && !sawChange);
}

/**
 * How old a record is by wall clocks, ms, for clients that do not live long enough to watch it: by the node's clock, which
 * gains at most `clockStepMs`, and also by those of its writer and of this client. On a node that starts with a slow
 * clock which is then corrected, the record is old by the node's clock only. Of none, or what no clock can read, 0.
 */
export function ageByClocksMs({ record, nodeTimeMs, seenWallMs }: Sighting): number {
  if (record === undefined) return 0;
  return Math.min(nodeTimeMs - record.writtenMs, seenWallMs - record.writerMs) || 0;
}

/** From what age by wall clocks on no lease that the node lost can still be valid, ms. */
export function oldAgeMs(maxTtlMs: number, driftFactor: number, clockStepMs: number): number {
  return outwaitMs(maxTtlMs, driftFactor) + AGE_GUARD_MS + clockStepMs;
}

/** Remaining quarantine in ms; 0 when over. `lengthMs` is for clocks already waited out. */
export function quarantineLeftMs(
  startSteadyMs: number,
  lengthMs: number,
  steadyMs: number,
): number {
  return Math.max(0, startSteadyMs + lengthMs - steadyMs);
}
