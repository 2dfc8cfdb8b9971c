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
  /** What nodes may execute for it once the name is free; undefined: they notify it, and it asks. */
  readonly deferred?: DeferredAcquire | undefined;
}

/** The acquire of a waiter that nodes keep with its place. */
export interface DeferredAcquire {
  readonly ownerId: string;
  /** Of the key, ms. */
  readonly ttlMs: number;
  /** Of these, what is added for steps of clocks, ms. */
  readonly marginMs?: number | undefined;
  /** Only if the process was heard of on the node within that time, ms. */
  readonly maxAgeMs: number;
}

/** How it is written on a node; empty for none. */
export function deferredTextOf(acquire: DeferredAcquire | undefined): string {
  if (acquire === undefined) return "";
  const { ownerId, ttlMs, maxAgeMs } = acquire;
  return `${maxAgeMs} ${ttlMs} ${ownerId}`;
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
