import { nameKeys, type NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { NamedLock, WHOLE_NAME } from "./named-lock.js";

const KIND = {
  id: "exclusive",
  words: "an exclusive lock",
  isMutex: true,
  queue: { ...WHOLE_NAME, passesOn: true, isRefreshed: true, isDeferred: true },
  allows: { minHold: true, transfer: true },
} as const;

/** The exclusive lock of one name: the lock key holds the ownerId, and nothing is stored next to it. */
export function exclusiveLock(keys: NameKeys): LockKind {
  return new NamedLock(keys, KIND);
}

/** The term of an election: observers are told of the next leader, so the nodes have to know. */
export function termOf(keys: NameKeys): LockKind {
  return new NamedLock(keys, { ...KIND, queue: { ...KIND.queue, passesOn: false } });
}

/** An exclusive lock of one name. */
export function keysOf(keyPrefix: string, name: string): LockKind {
  return exclusiveLock(nameKeys(keyPrefix, name));
}
