/**
 * When nodes that have no record are a new deployment, which may vote at once, and not nodes that forgot.
 *
 * No wall clock tells. Each record is marked by the client that wrote it, soon after that by its own clock, with the
 * ids of all records that it saw side by side. Where all records have the same mark, they stood there together, none
 * of them ever was open, and none was written much before another.
 */
import type { Sighting } from "./incarnation.js";

/**
 * What is to be done about a new deployment.
 *
 * - `wait`: nodes are missing, or were written or marked by clients that are not done
 * - `write`: all nodes are there, and some have no record yet
 * - `mark`: all have one; those that this client wrote are to be marked, the others by whoever wrote them
 * - `open`: all are marked alike, so those that are not open yet may be opened
 * - `over`: all are open, or this is no new deployment
 */
export type BootstrapStep = "wait" | "write" | "mark" | "open" | "over";

/** @param sightings of all nodes; undefined where one was not seen yet */
export function nextStep(sightings: readonly (Sighting | undefined)[]): BootstrapStep {
  const kept = sightings.filter((seen) => seen?.record?.state !== "unkept");
  const seen = kept.filter((each) => each !== undefined);
  const states = new Set(seen.map(({ record }) => record?.state));
  const hasPast = states.has("forgot") || states.has("attested");
  if (hasPast || seen.some(({ sawChange }) => sawChange)) return "over";
  const marks = new Set(seen.map(markOf));
  if (states.has("open")) {
    // It was opened when all were marked: those marked alike may follow, and no other may.
    if (marks.size > 1) return isLate(seen) ? "wait" : "over";
    return states.has("opening") ? "open" : "over";
  }
  if (seen.length < kept.length) return "wait";
  if (states.has(undefined)) return states.has("opening") ? "wait" : "write";
  marks.delete(undefined);
  if ([...marks].some((mark) => mark !== fellowsText(sightings))) return "wait";
  if (states.has("fresh")) return "mark";
  return states.has("opening") ? "open" : "over";
}

function markOf({ record }: Sighting): string | undefined {
  return record?.state === "opening" || record?.state === "open" ? record.fellows : undefined;
}

/** Whether a node without a mark was asked before another was seen open: it may have got one since. */
function isLate(seen: readonly Sighting[]): boolean {
  const open = seen.filter(({ record }) => record?.state === "open");
  const openSinceMs = Math.min(...open.map(({ seenSteadyMs }) => seenSteadyMs));
  return seen.some((each) => markOf(each) === undefined && each.sentSteadyMs < openSinceMs);
}

/** The ids of all records; clients may name the nodes in different orders. */
export function fellowsText(sightings: readonly (Sighting | undefined)[]): string {
  const ids = sightings.flatMap((seen) => {
    const record = seen?.record;
    return record === undefined || record.state === "unkept" ? [] : record.id;
  });
  return ids.toSorted().join(" ");
}

/** Whether the client that wrote a record may still mark it. */
export function mayMark(
  { record, ownSinceMs }: Sighting,
  nowMs: number,
  windowMs: number,
): boolean {
  if (record?.state !== "fresh" || ownSinceMs === undefined) return false;
  return nowMs - ownSinceMs <= windowMs;
}
