import keySlot from "cluster-key-slot";

/** Keys that belong to this library and can never be the lock key of a name. */
export const RESERVED_PREFIX = "quorate:";

/** The record of a node's incarnation; one a node (and a database). */
export const RECORD_KEY = `${RESERVED_PREFIX}incarnation`;

/** Key on each node that is there while it remembers any lock that an operator has ended. */
export const ENDED_KEY = `${RESERVED_PREFIX}ended`;

/** Channel on which a process is told that it is its turn; the message is the lock key. */
export function inboxChannel(inbox: string): string {
  return `${RESERVED_PREFIX}inbox:${inbox}`;
}

/** The part of a key that Redis Cluster hashes: its first `{...}`, if that is not empty. */
function hashTag(key: string): string {
  const open = key.indexOf("{");
  if (open === -1) return key;
  const close = key.indexOf("}", open + 1);
  return close === -1 || close === open + 1 ? key : key.slice(open + 1, close);
}

/** A name and its keys on every node. */
export interface NameKeys {
  readonly name: string;
  /** `keyPrefix + name`, the canonical Redlock key. */
  readonly lockKey: string;
  /** The name's counter. Same hash slot as the lock key whenever that is possible. */
  readonly fenceKey: string;
  /** The processes that wait for the name. Same hash slot as the fence key. */
  readonly queueKey: string;
}

/**
 * Keys of one name.
 *
 * Fence and queue key repeat the lock key's hash tag, or wrap the whole lock key in one, so that a
 * Cluster keeps all in one slot. The two forms differ in their prefix: `{x}` and `x` are two
 * names and must not share a counter.
 */
export function nameKeys(keyPrefix: string, name: string): NameKeys {
  const lockKey = keyPrefix + name;
  const fenceKey = companionKey("fence", lockKey);
  const queueKey = companionKey("queue", lockKey);
  return { name, lockKey, fenceKey, queueKey };
}

/** What may stand beside a lock key, a key each: readers, permits, holds of an owner, and whose timestamp it is. */
export const COMPANIONS = ["readers", "slots", "holds", "stamp"] as const;

/** A key of ours beside a key, in the same hash slot whenever that is possible; see {@link nameKeys}. */
export function companionKey(what: string, key: string): string {
  const rest = hashTag(key) === key ? `:{${key}}` : `-of-tagged:${key}`;
  return `${RESERVED_PREFIX}${what}${rest}`;
}

/** The hash slot of a name on a Cluster. */
export function hashSlotOf({ lockKey }: NameKeys): number {
  return keySlot(lockKey);
}

/**
 * Whether all keys of a name are in one hash slot. Not so for a few names with braces that form no
 * hash tag (`a}b`, `{}x`); such a name cannot be locked on a Cluster node.
 */
export function isOneSlot(keys: NameKeys): boolean {
  return keySlot(keys.lockKey) === keySlot(keys.fenceKey);
}
