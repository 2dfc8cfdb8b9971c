/**
 * What a node remembers of itself, and what that says about its votes.
 *
 * A node that restarted empty, was flushed or failed over has forgotten grants that may still be
 * believed in. Each node therefore keeps a record without ttl. A record that is missing, or whose
 * run_id is not the server's, means the node forgot; it is written anew with another id, and the
 * node's acquire votes are void until a client has watched the record for the longest lease in use.
 * Every batch names the id it knows.
 */
import { outwaitMs } from "./validity.js";

/**
 * - `fresh`: written where no record was found, by a client that never saw one
 * - `opening`: the same, and its writer has seen the records of all nodes side by side
 * - `open`: a new deployment, all of whose records were `opening`
 * - `forgot`: written by a client that knew of an earlier record, or over a record of another run
 * - `attested`: a client has outwaited every lease from before it was written
 * - `unkept`: the node keeps no record (a Cluster), so it is never quarantined
 */
export type RecordState = "fresh" | "opening" | "open" | "forgot" | "attested" | "unkept";

export interface IncarnationRecord {
  readonly id: string;
  readonly runId: string;
  readonly state: RecordState;
  /** Node time at which it was written, ms. */
  readonly writtenMs: number;
  /** The same by the wall clock of the client that wrote it, ms. */
  readonly writerMs: number;
  /** Configured node count of the clients that use the node. */
  readonly nodeCount: number;
  /** Longest ttl that any client of this node may use, ms. */
  readonly maxTtlMs: number;
  /** The most that any client of this node expects a node's clock to gain on real time, ms. */
  readonly clockStepMs: number;
  /** From `opening` on: the ids of all nodes' records, as {@link fellowsText} writes them. */
  readonly fellows: string;
  /** The highest fence that the node has given out or was told of. */
  readonly topFence: number;
}

/** A node as one client saw it last. */
export interface Sighting {
  /** Undefined where the node had none, and none was to be written. */
  readonly record: IncarnationRecord | undefined;
  /** Node time at the sighting, ms. */
  readonly nodeTimeMs: number;
  /** When the node was asked, this client's monotonic clock, ms. */
  readonly sentSteadyMs: number;
  /** When it was seen, this client's monotonic clock, ms. */
  readonly seenSteadyMs: number;
  /** The same by this client's wall clock, ms. */
  readonly seenWallMs: number;
  /** This client knew the node under another id: it was there when the node forgot. */
  readonly sawChange: boolean;
  /** Before this client sent what wrote the record, lease clock, ms; undefined if another wrote it. */
  readonly ownSinceMs: number | undefined;
}

/** Clocks are read in whole ms and may be slewed; ages count that much less. */
const AGE_GUARD_MS = 1_000;

/** Whether nothing that the node forgot can be believed in any more. */
export function isTrusted({ record, sawChange }: Sighting): boolean {
  const state = record?.state;
  // One who was there when the node forgot knows better than whoever took it for a new one.
  return state === "attested" || state === "unkept" || (state === "open" && !sawChange);
}

/**
 * Whether a record is old enough by wall clocks, where no client lives long enough to watch it: by the node's,
 * which gains at most `clockStepMs`, and also by those of its writer and of this client. A node that comes up with a
 * slow clock that is then set right is old by its own clock only.
 */
export function isOldByClocks(
  { record, nodeTimeMs, seenWallMs }: Sighting,
  maxTtlMs: number,
  driftFactor: number,
  clockStepMs: number,
): boolean {
  if (record === undefined) return false;
  const ageMs = Math.min(nodeTimeMs - record.writtenMs, seenWallMs - record.writerMs);
  return ageMs >= outwaitMs(maxTtlMs, driftFactor) + AGE_GUARD_MS + clockStepMs;
}

/** What is left of a quarantine in ms; 0 when over. `lengthMs` is for clocks already outwaited. */
export function quarantineLeftMs(
  startSteadyMs: number,
  lengthMs: number,
  steadyMs: number,
): number {
  return Math.max(0, startSteadyMs + lengthMs - steadyMs);
}
