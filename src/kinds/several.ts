import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { exclusiveLock } from "./exclusive.js";
import { lockOf, WHOLE_NAME } from "./lock-of.js";

/**
 * What is in its way may be another name than that for which it waits: it learns of that by asking only, must
 * not be called up for the first name again, and lets those pass who want that name alone.
 */
const QUEUE: QueueRules = { ...WHOLE_NAME, rotates: true, rejoins: false };

/**
 * Plain mutexes of several names that are taken, re-timed and let go of together, whatever the order in which
 * they are named. Each keeps the keys that it has alone. The set waits in the queue of its first name.
 *
 * @param all one or more, of different names; one is the plain mutex
 */
export function severalLock(all: readonly NameKeys[]): LockKind {
  const sorted = all.toSorted((a, b) => (a.lockKey < b.lockKey ? -1 : 1));
  const [first] = sorted;
  if (first === undefined) throw new RangeError("a set of no names");
  if (sorted.length === 1) return exclusiveLock(first);
  const names = sorted.map(({ name }) => name);
  return lockOf(first, {
    id: "several",
    words: "a lock of several names",
    isMutex: true,
    name: names.join(", "),
    names,
    lockKeys: sorted.map(({ lockKey }) => lockKey),
    fenceBucket: sorted.map(({ fenceBucket }) => fenceBucket).join(","),
    queue: QUEUE,
  });
}
