import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { exclusiveLock, NamedLock } from "./exclusive.js";

/**
 * Exclusive locks of several names that are acquired, extended and released together, in any order of names. Each
 * keeps the keys that it has alone. The set waits in the queue of its first name while all others are free.
 *
 * @param all one or more, of different names; one is the ordinary exclusive lock
 */
export function severalLock(all: readonly NameKeys[]): LockKind {
  const sorted = all.toSorted((a, b) => (a.lockKey < b.lockKey ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) throw new RangeError("a set of no names");
  if (sorted.length === 1) return exclusiveLock(first);
  const names = sorted.map(({ name }) => name);
  return new NamedLock(first, {
    id: "several",
    words: "a lock of several names",
    isMutex: true,
    name: names.join(", "),
    names,
    lockKeys: sorted.map(({ lockKey }) => lockKey),
    fenceBucket: sorted.map(({ fenceBucket }) => fenceBucket).join(","),
  });
}
