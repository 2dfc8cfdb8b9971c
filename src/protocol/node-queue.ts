import type { LockKind, PlacePrefix } from "./lock-kind.js";

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

/** Shortest and longest reservation, ms. */
export const MIN_TURN_MS = 5;
export const MAX_TURN_MS = 100;

/**
 * How long a node reserves a name for the process that it has notified, ms: time to receive the message and to ask.
 * Others wait no longer than that for a process that does not come.
 */
export function turnMs(nodeTimeoutMs: number): number {
  return Math.ceil(Math.min(MAX_TURN_MS, Math.max(MIN_TURN_MS, nodeTimeoutMs / 4)));
}

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
   * Signs of the holders of each name, see `protocol/overdue`, separated by commas: one text is cheaper than many. One
   * that is open ends when `blockedMs` of its name is over: so it changes with the holder only.
   */
  readonly signs: string;
}

/** How many places are refreshed together next, at most and at least, and the delay after the most of them, ms. */
export function refreshPace(placeCount: number): {
  count: number;
  leastCount: number;
  pauseMs: number;
} {
  const everyMs = Math.min(
    MAX_REFRESH_MS,
    Math.max(MIN_REFRESH_MS, (placeCount / PLACES_A_SECOND) * 1_000),
  );
  const rounds = Math.max(
    Math.ceil(everyMs / MIN_REFRESH_MS),
    Math.ceil(placeCount / MAX_PLACES_AT_ONCE),
  );
  const count = Math.ceil(placeCount / rounds);
  // What is left for the last ones if all others are the most.
  return { count, leastCount: count - rounds + 1, pauseMs: everyMs / rounds };
}
