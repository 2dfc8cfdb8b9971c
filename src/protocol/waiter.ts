import type { PlacePrefix } from "./lock-kind.js";

/** A process in a name's queue. */
export interface Waiter {
  /** Of the process: names the channel on which it is notified. */
  readonly inbox: string;
  /** Its place, the same on every node: when its wait began, microseconds since 1970. */
  readonly ticket: number;
  /** How long a node reserves the name for it after notifying it, ms. */
  readonly turnMs: number;
  /** What it waits for; undefined for a name as a whole. */
  readonly placePrefix?: PlacePrefix;
}

/**
 * A process has several places in the queue of a name where its waiters are marked differently: readers and writers,
 * and those that the name is reserved for as long as their node deadlines require.
 */
export function isSamePlace(one: Waiter, other: Waiter): boolean {
  return turnTextOf(one) === turnTextOf(other);
}

/** How a place is written in a node's queue. */
export function turnTextOf({ turnMs, placePrefix = "" }: Waiter): string {
  return `${placePrefix}${turnMs}`;
}
