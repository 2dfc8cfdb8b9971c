import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { NamedLock } from "./exclusive.js";

/** What an acquire asks of a node if it may be granted only where its owner already holds the lock. */
export const JOIN_ONLY = "again";

/**
 * A lock of a named owner, which may hold it many times at once: the lock key names the owner, and a hash next to it
 * has its holds.
 */
export function ownedLock(keys: NameKeys, owner: string, isJoinOnly = false): LockKind {
  return new NamedLock(keys, {
    id: "owned",
    words: "a lock of an owner",
    owner,
    scriptArgs: [owner, "", isJoinOnly ? JOIN_ONLY : ""],
    joinOnly: () => ownedLock(keys, owner, true),
  });
}
