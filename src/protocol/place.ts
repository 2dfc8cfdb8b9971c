import type { LockKind } from "./lock-kind.js";
import type { Waiter } from "./waiter.js";

/**
 * For how long a place in the queue of a node counts after it was refreshed, ms of the node's clock.
 * Well above {@link MAX_REFRESH_MS}, so that a few refreshes may be late or lost; short, because for so long
 * a process that was cut off is still waited for.
 */
export const PLACE_MS = 5_000;

/** How often a process refreshes each of its places, ms, while they are few. */
export const MIN_REFRESH_MS = 250;

/** How often at least, ms, however many they are. */
export const MAX_REFRESH_MS = 2_250;

/** Places that are refreshed a second before it is done less often: what waiting may cost a process. */
const PLACES_A_SECOND = 4_000;

/**
 * Most places in one operation: a node should be busy with it for a few milliseconds, not for longer. Not
 * fewer than needs be either: that a message is sent and its answer read costs a process as much as a hundred names.
 */
export const MAX_PLACES_AT_ONCE = 512;

/** A place in the queue of a name, for which this process waits. */
export interface Place {
  readonly keys: LockKind;
  readonly waiter: Waiter;
  /** Kept by a transport that encodes its lock key once for all refreshes. */
  wire?: unknown;
}

/** What a node says of the names of one refresh, in their order. */
export interface Looks {
  /** How long it will go on refusing each by itself, ms; 0 where it would grant, or only an attempt can find out. */
  readonly blockedMs: Float64Array;
  /** The node's clock, ms. */
  readonly nowMs: number;
  /** Of those that hold each name, see `protocol/overdue`, with commas between: one text, which is cheaper than many. */
  readonly signs: string;
}

/** The places that are refreshed together next, and how long after them the next ones follow, ms. */
export function refreshPace(placeCount: number): { count: number; pauseMs: number } {
  const everyMs = Math.min(
    MAX_REFRESH_MS,
    Math.max(MIN_REFRESH_MS, (placeCount / PLACES_A_SECOND) * 1_000),
  );
  const rounds = Math.max(1, Math.ceil(placeCount / MAX_PLACES_AT_ONCE));
  return { count: Math.ceil(placeCount / rounds), pauseMs: everyMs / rounds };
}
