import { TIMESTAMP_LAYOUTS } from "./timestamps.js";

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
