import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { NamedLock } from "./exclusive.js";
import { JOIN_ONLY } from "./owned.js";

/**
 * A lock in Redisson's layout: the lock key is a hash, with the owner as a field.
 *
 * @param owner undefined: every hold is an owner of its own
 */
export function redissonLock(keys: NameKeys, owner?: string, isJoinOnly = false): LockKind {
  return new NamedLock(keys, {
    id: "owned",
    words: "a lock in the layout of Redisson",
    layout: "redisson",
    owner,
    scriptArgs: [owner ?? "", redissonChannel(keys.lockKey), isJoinOnly ? JOIN_ONLY : ""],
    joinOnly: owner === undefined ? undefined : () => redissonLock(keys, owner, true),
  });
}

/** The channel on which Redisson notifies its waiting clients that a lock is free. */
export function redissonChannel(lockKey: string): string {
  return `redisson_lock__channel:${lockKey.includes("{") ? lockKey : `{${lockKey}}`}`;
}
