import { queueKeyOf, type NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { numbersText } from "../protocol/permits.js";
import { fixedSize, type KnownSize } from "../protocol/semaphore-size.js";
import { NamedLock, WHOLE_NAME } from "./exclusive.js";

/**
 * A waiter for any permit must not be notified for a permit that others hold on other nodes. Nor is its place of use to
 * the permits that it has got: a node offers in it those that are free there.
 */
const QUEUE: QueueRules = {
  ...WHOLE_NAME,
  placePrefix: "s",
  leavePrefix: "s",
  rejoins: false,
  keepsPlace: false,
  isRefreshed: true,
};

/**
 * One or several of the permits of a semaphore, which are acquired, extended and released together; or any of them. Each
 * is a mutex of its own: if each node only counted those that are taken, too many would be admitted, because nodes may
 * count different holders.
 *
 * @param size of the semaphore, which may be resized meanwhile; a number where nobody hears of that
 * @param wanted how many of them
 * @param numbers which, from 0, ascending: of an attempt and of the resulting lock; undefined for a waiter for any
 */
export function permitLock(
  keys: NameKeys,
  size: KnownSize | number,
  wanted = 1,
  numbers?: readonly number[],
): LockKind {
  const known = typeof size === "number" ? fixedSize({ count: size, version: 0 }) : size;
  const queueKey = queueKeyOf(keys);
  const text = numbersText(numbers ?? []);
  const at = (of: readonly number[]): LockKind => permitLock(keys, known, of.length, of);
  return new NamedLock(keys, {
    id: "permit",
    words: wanted === 1 ? "a permit" : `${wanted} permits`,
    permits: { size: known, wanted, numbers, at },
    scriptArgs: [text],
    // Waiters for a permit and waiters for the name as a whole use different queues.
    waitQueueKey: queueKey,
    // No lock key begins as ours do, so no name can have this queue.
    holderKey: numbers === undefined ? keys.lockKey : `${queueKey}#${text}`,
    queue: wanted === 1 ? QUEUE : queueOfSeveral(wanted),
  });
}

/** A node lets in the first that waits once as many are free as its place says. */
function queueOfSeveral(wanted: number): QueueRules {
  return { ...QUEUE, placePrefix: `s${wanted},`, leavePrefix: `s${wanted},` };
}
