import { queueKeyOf, type NameKeys } from "../protocol/keys.js";
import type { LockKind, QueueRules } from "../protocol/lock-kind.js";
import { NamedLock, WHOLE_NAME } from "./named-lock.js";

/** A waiter for any permit must not be notified for a permit that others hold on other nodes. */
const QUEUE: QueueRules = {
  ...WHOLE_NAME,
  placePrefix: "s",
  leavePrefix: "s",
  rejoins: false,
  isRefreshed: true,
};

/**
 * One of the permits of a semaphore, or any of them. Each is a mutex of its own: if each node only counted holders, too
 * many would be admitted, because nodes may count different holders.
 *
 * @param count number of permits
 * @param permit from 0, of an attempt and of the resulting lock; undefined for a waiter for any permit
 */
export function permitLock(keys: NameKeys, count: number, permit?: number): LockKind {
  const queueKey = queueKeyOf(keys);
  return new NamedLock(keys, {
    id: "permit",
    words: "a permit",
    permits: { count, permit, at: (other) => permitLock(keys, count, other) },
    scriptArgs: [String(count), permit === undefined ? "" : String(permit)],
    // Waiters for a permit and waiters for the name as a whole use different queues.
    waitQueueKey: queueKey,
    // No lock key begins as ours do, so no name can have this queue.
    holderKey: permit === undefined ? keys.lockKey : `${queueKey}#${permit}`,
    queue: QUEUE,
  });
}
