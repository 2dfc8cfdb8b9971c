/**
 * Tells a new deployment, which may vote immediately, from nodes that lost their data.
 *
 * Wall clocks cannot tell. The client that wrote a record marks it soon afterwards, by its own clock, with the ids of
 * all records that it saw together. If all records have the same mark, they existed together, none of them was ever
 * open, and all were written within a short time.
 */
import type { Sighting } from "./quarantine.js";

/**
 * What to do about a new deployment.
 *
 * - `wait`: nodes are missing, or were written or marked by clients that are not finished
 * - `write`: all nodes are up, and some have no record yet
 * - `mark`: all have one; this client must mark those that it wrote, other clients theirs
 * - `open`: all are marked alike, so those that are not open yet may be opened
 * - `over`: all are open, or this is not a new deployment
 */
export type BootstrapStep = "wait" | "write" | "mark" | "open" | "over";

/** @param sightings of all nodes; undefined where a node was not seen yet */
export function nextStep(sightings: readonly (Sighting | undefined)[]): BootstrapStep {
  const kept = sightings.filter((seen) => seen?.record?.state !== "unkept");
  const seen = kept.filter((each) => each !== undefined);
  const states = new Set(seen.map(({ record }) => record?.state));
  const hasPast = states.has("forgot") || states.has("attested");
  if (hasPast || seen.some(({ sawChange }) => sawChange)) return "over";
  const marks = new Set(seen.map(markOf));
  if (states.has("open")) {
    // It was opened when all were marked: only nodes with the same mark may follow.
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

/** Whether a node without a mark was asked before another was seen open: it may have been marked since. */
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
