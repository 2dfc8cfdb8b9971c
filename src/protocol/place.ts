import type { LockKind } from "./lock-kind.js";
import type { Waiter } from "./waiter.js";

/**
 * How long a place in a node's queue counts after it was refreshed, ms of the node's clock. Well above
 * {@link MAX_REFRESH_MS}, so that a few refreshes may be late or lost; short, because a disconnected process is still
 * waited for that long.
 */
export const PLACE_MS = 5_000;

/**
 * How often a process refreshes each of its places, ms, while they are few; and how often it is heard of on the nodes at
 * least, however many they are. A node executes no deferred acquire of a process that it has not heard of for half a
 * second, see `maxAgeMs`: below that by what a call may be late, and not more often, because whoever gets the lock
 * sooner needs no refresh at all.
 */
export const MIN_REFRESH_MS = 400;

/** The longest refresh interval, ms, however many places there are. */
export const MAX_REFRESH_MS = 2_250;

/**
 * Places refreshed per second before the interval grows to {@link MAX_REFRESH_MS}: until then, waiting costs a process
 * the same however many names it waits for.
 */
const PLACES_A_SECOND = 900;

/**
 * Maximum number of places in one operation: it should keep a node busy for a few milliseconds at most. No fewer than
 * necessary: sending a message and reading its answer costs a process as much as a hundred names.
 */
export const MAX_PLACES_AT_ONCE = 512;

/** A place in the queue of a name, for which this process waits. */
export interface Place {
  readonly keys: LockKind;
  readonly waiter: Waiter;
}

/** A node's answer about the names of one refresh, in their order. */
export interface Looks {
  /**
   * How long it will keep refusing each until expiry, ms; 0 where it would grant, or only an attempt can find out.
   */
  readonly blockedMs: Float64Array;
  /** The node's clock, ms. */
  readonly nowMs: number;
  /**
   * Signs of the holders of each name, see `protocol/overdue`, separated by commas: one text is cheaper than many.
   */
  readonly signs: string;
}

/** The places that are refreshed together next, and the delay until the following ones, ms. */
export function refreshPace(placeCount: number): { count: number; pauseMs: number } {
  const everyMs = Math.min(
    MAX_REFRESH_MS,
    Math.max(MIN_REFRESH_MS, (placeCount / PLACES_A_SECOND) * 1_000),
  );
  const rounds = Math.max(
    Math.ceil(everyMs / MIN_REFRESH_MS),
    Math.ceil(placeCount / MAX_PLACES_AT_ONCE),
  );
  return { count: Math.ceil(placeCount / rounds), pauseMs: everyMs / rounds };
}
