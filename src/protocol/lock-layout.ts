/** The unit in which a key says when its lock ends: milliseconds or seconds since 1970. */
const TIMESTAMP_LAYOUTS = ["timestamp", "timestamp-seconds"] as const;

export type TimestampLayout = (typeof TIMESTAMP_LAYOUTS)[number];

/**
 * Added to the end in our keys and in those of others, ms: clients that read each other's timestamps have different
 * clocks.
 */
export const TIMESTAMP_MARGIN_MS = 1_000;

/** Lower bounds of a date in seconds (1973) and in milliseconds (1973), and an upper bound (33658). */
export const FIRST_SECONDS = 1e8;
export const FIRST_MS = 1e11;
export const END_MS = 1e15;

/** The layout of a timestamp; undefined if the text is not one. */
export function timestampLayoutOf(text: string): TimestampLayout | undefined {
  const value = /^\d+\.?\d*$/.test(text) ? Number(text) : 0;
  if (value < FIRST_SECONDS || value >= END_MS) return undefined;
  return value < FIRST_MS ? "timestamp-seconds" : "timestamp";
}

/**
 * - `redlock`: a string key with a random value, as clients of Redlock in all languages have it
 * - `redisson`: a hash with a count of holds, as Redisson's `RLock` has it
 * - `timestamp`: a string key that says when the lock ends, in ms since 1970, as code has it that
 *   was written by hand with SETNX and GETSET. The clocks of that code count: see
 *   docs/how-to/other-clients.md#setnx-and-getset
 * - `timestamp-seconds`: the same in seconds
 */
export type LockLayout = (typeof LOCK_LAYOUTS)[number];

export const LOCK_LAYOUTS = ["redlock", "redisson", ...TIMESTAMP_LAYOUTS] as const;
