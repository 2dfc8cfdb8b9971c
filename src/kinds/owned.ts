import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { lockOf } from "./lock-of.js";

/** What a node is asked by an acquire that may only get in where its owner is in already. */
export const JOIN_ONLY = "again";

/**
 * A lock of a named owner, who may hold it many times at once: the lock key says who it is, and a hash beside
 * it has its holds.
 */
export function ownedLock(keys: NameKeys, owner: string, isJoinOnly = false): LockKind {
  return lockOf(keys, {
    id: "owned",
    words: "a lock of an owner",
    owner,
    scriptArgs: [owner, "", isJoinOnly ? JOIN_ONLY : ""],
    joinOnly: () => ownedLock(keys, owner, true),
    isJoinOnly,
  });
}
