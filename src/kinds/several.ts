import { RESERVED_PREFIX, type NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { exclusiveLock, NamedLock, unsharedLock, WHOLE_NAME } from "./exclusive.js";

/** It stands in no queue itself: its parts do. */
const QUEUE = { ...WHOLE_NAME, rejoins: false, keepsPlace: false };

/**
 * Exclusive locks of several names that are acquired, extended and released together, in any order of names. Each
 * keeps the keys that it has alone.
 *
 * @param all one or more, of different names; one is the ordinary exclusive lock
 */
export function severalLock(all: readonly NameKeys[]): LockKind {
  const sorted = all.toSorted((a, b) => (a.lockKey < b.lockKey ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) throw new RangeError("a set of no names");
  if (sorted.length === 1) return exclusiveLock(first);
  const names = sorted.map(({ name }) => name);
  const lockKeys = sorted.map(({ lockKey }) => lockKey);
  return new NamedLock(first, {
    id: "several",
    words: "a lock of several names",
    isMutex: true,
    name: names.join(", "),
    names,
    lockKeys,
    fenceBucket: sorted.map(({ fenceBucket }) => fenceBucket).join(","),
    waitQueueKey: `${RESERVED_PREFIX}set:${JSON.stringify(lockKeys)}`,
    queue: QUEUE,
    parts: () => sorted.map(unsharedLock),
  });
}
