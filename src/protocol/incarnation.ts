/**
 * What a node remembers of itself, and what that says about its votes.
 *
 * A node that restarted empty, was flushed or failed over has forgotten grants that may still be
 * believed in. Each node therefore keeps a record without ttl. A record that is missing, or whose
 * run_id is not the server's, means the node forgot; it is written anew with another id, and the
 * node's acquire votes are void for the longest lease in use. Every batch names the id it knows.
 */

/**
 * - `fresh`: written where no record was found, by a client that never saw one
 * - `forgot`: written by one that knew of an earlier record, or over a record of another run
 * - `open`: a new deployment, all of whose nodes were seen without a record
 * - `unkept`: the node keeps no record (a Cluster), so it is never quarantined
 */
export type RecordState = "fresh" | "forgot" | "open" | "unkept";

export interface IncarnationRecord {
  readonly id: string;
  readonly runId: string;
  readonly state: RecordState;
  /** Node time at which it was written, ms. */
  readonly writtenMs: number;
  /** Configured node count of the clients that use the node. */
  readonly nodeCount: number;
  /** Longest ttl that any client of this node may use, ms. */
  readonly maxTtlMs: number;
}

/** A record as one client saw it, with its own monotonic time of seeing it. */
export interface Sighting {
  readonly record: IncarnationRecord;
  /** Node time at the sighting, ms. */
  readonly nodeTimeMs: number;
  readonly seenSteadyMs: number;
  /** This client knew the node under another id: it was there when the node forgot. */
  readonly sawChange: boolean;
}

/** Node clocks are read in whole ms and may be slewed; credit that much less. */
const AGE_GUARD_MS = 1_000;

/**
 * The monotonic instant from which a quarantine is counted, or undefined if there is none.
 *
 * A client that saw the change counts from that moment on its own clock. One that only starts now
 * must go by the node's own time since the record was written, less a guard.
 */
export function quarantineStart(sighting: Sighting): number | undefined {
  if (sighting.record.state === "unkept") return undefined;
  if (sighting.sawChange) return sighting.seenSteadyMs;
  if (sighting.record.state === "open") return undefined;
  return sighting.seenSteadyMs - Math.max(0, ageMs(sighting) - AGE_GUARD_MS);
}

/** What is left of a quarantine in ms; 0 when over. `lengthMs` is for clocks already outwaited. */
export function quarantineLeftMs(
  startSteadyMs: number | undefined,
  lengthMs: number,
  steadyMs: number,
): number {
  if (startSteadyMs === undefined) return 0;
  return Math.max(0, startSteadyMs + lengthMs - steadyMs);
}

/** How long ago the record was written, by the node's clock, ms. */
function ageMs({ nodeTimeMs, record }: Sighting): number {
  return nodeTimeMs - record.writtenMs;
}

/**
 * What one look at all nodes says about a new deployment.
 *
 * - `new`: every configured node has a young record that says `fresh`. One look is not enough to
 *   act on, see {@link isConfirmedNew}
 * - `open`: no node waits for the answer
 * - `maybe`: nodes are missing, or another client is opening the deployment right now
 * - `old`: some node remembers an earlier life
 */
export function lookAt(
  sightings: readonly (Sighting | undefined)[],
  windowMs: number,
): "new" | "open" | "maybe" | "old" {
  let isEveryFresh = true;
  let isAnyFresh = false;
  for (const sighting of sightings) {
    const state = sighting?.record.state;
    if (sighting === undefined) isEveryFresh = false;
    else if (state === "unkept") continue;
    else if (sighting.sawChange || state === "forgot" || ageMs(sighting) > windowMs) return "old";
    else if (state === "open") isEveryFresh = false;
    else isAnyFresh = true;
  }
  if (isEveryFresh && isAnyFresh) return "new";
  return isAnyFresh || sightings.includes(undefined) ? "maybe" : "open";
}

/**
 * Whether a second look, begun only after the first was complete, found the very same fresh
 * records. Then there was one instant at which no node could have voted, so no lease can be at
 * stake: a single node that forgot between the two looks, or a deployment that another client
 * opened in the meantime, shows in a changed id or state.
 */
export function isConfirmedNew(
  first: readonly (Sighting | undefined)[],
  second: readonly (Sighting | undefined)[],
  windowMs: number,
): boolean {
  return (
    lookAt(first, windowMs) === "new" &&
    lookAt(second, windowMs) === "new" &&
    first.every((sighting, index) => sighting?.record.id === second[index]?.record.id)
  );
}
