import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { lockOf, WHOLE_NAME } from "./lock-of.js";

/** Whoever waits for any permit must not be called up for the one that others have on other nodes. */
const QUEUE: QueueRules = {
  ...WHOLE_NAME,
  placePrefix: "s",
  leavePrefix: "s",
  rejoins: false,
  isRefreshed: true,
};

/**
 * One of the permits of a semaphore, or any of them. Each is a mutex of its own, a *slot*: to count
 * holders on each node by itself would let more in than there are permits, because each node may count others.
 *
 * @param count how many permits there are
 * @param slot from 0, of an attempt and of the lock it leads to; undefined for one that waits for any
 */
export function permitLock(keys: NameKeys, count: number, slot?: number): LockKind {
  const { lockKey, queueKey } = keys;
  return lockOf(keys, {
    id: "slot",
    words: "a permit",
    slots: { count, slot, at: (other) => permitLock(keys, count, other) },
    scriptArgs: [String(count), slot === undefined ? "" : String(slot)],
    // Those who want a permit do not stand in one line with those who want the name as a whole.
    waitQueueKey: queueKey,
    // No lock key begins as ours do, so that it is none.
    holderKey: slot === undefined ? lockKey : `${queueKey}#${slot}`,
    queue: QUEUE,
  });
}
