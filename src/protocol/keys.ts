import keySlot from "cluster-key-slot";

/** Keys that belong to this library and can never be the lock key of a name. */
export const RESERVED_PREFIX = "quorate:";

/** The record of a node's incarnation; one a node (and a database). */
export const RECORD_KEY = `${RESERVED_PREFIX}incarnation`;

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
}

/**
 * Keys of one name.
 *
 * The fence key repeats the lock key's hash tag, or wraps the whole lock key in one, so that a
 * Cluster keeps both in one slot. The two forms differ in their prefix: `{x}` and `x` are two
 * names and must not share a counter.
 */
export function keysOf(keyPrefix: string, name: string): NameKeys {
  const lockKey = keyPrefix + name;
  const fenceKey =
    hashTag(lockKey) === lockKey
      ? `${RESERVED_PREFIX}fence:{${lockKey}}`
      : `${RESERVED_PREFIX}fence-of-tagged:${lockKey}`;
  return { name, lockKey, fenceKey };
}

/**
 * Whether all keys of a name are in one hash slot. Not so for a few names with braces that form no
 * hash tag (`a}b`, `{}x`); such a name cannot be locked on a Cluster node.
 */
export function isOneSlot(keys: NameKeys): boolean {
  return keySlot(keys.lockKey) === keySlot(keys.fenceKey);
}
