import keySlot from "cluster-key-slot";

/** Keys that belong to this library and can never be the lock key of a name. */
export const RESERVED_PREFIX = "quorate:";

/** The record of a node's incarnation; one per node (and database). */
export const RECORD_KEY = `${RESERVED_PREFIX}incarnation`;

/** Key on each node that exists while any name may have waiters. */
export const WAITING_KEY = `${RESERVED_PREFIX}waiting`;

/** Channel on which those who observe a name are told who holds it. */
export function watchChannel(lockKey: string): string {
  return inboxChannel(`name:${lockKey}`);
}

/** Channel on which a process is notified; the message is the lock key. */
export function inboxChannel(inbox: string): string {
  return `${RESERVED_PREFIX}inbox:${inbox}`;
}

/** The same in a hash slot of a Cluster. @param tag a number that hashes to it */
export function channelInSlot(channel: string, tag: string): string {
  return `${channel}:{${tag}}`;
}

/** The part of a key that Redis Cluster hashes: its first `{...}`, if that is not empty. */
export function hashTag(key: string): string {
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
  /**
   * Which entry of each node's fence table counts for the name; names that share it share fences. Of several names,
   * separated by commas.
   */
  readonly fenceBucket: string;
}

/** Keys of one name. */
export function nameKeys(keyPrefix: string, name: string): NameKeys {
  const lockKey = keyPrefix + name;
  return { name, lockKey, fenceBucket: fenceBucketOf(lockKey) };
}

/** Key of the processes that wait for a name. Computed when needed: most locks never have a waiter. */
export function queueKeyOf({ lockKey }: NameKeys): string {
  return companionKey("queue", lockKey);
}

/** The name that has this lock key: the inverse of {@link nameKeys}; undefined for any other key. */
export function nameOfKey(keyPrefix: string, key: string): string | undefined {
  const isOurs = key.startsWith(RESERVED_PREFIX);
  return isOurs || !key.startsWith(keyPrefix) ? undefined : key.slice(keyPrefix.length);
}

/** A glob pattern of Redis for the lock keys of all names that match one. */
export function lockKeyPattern(keyPrefix: string, namePattern: string): string {
  return keyPrefix.replaceAll(/[\\*?[\]]/g, "\\$&") + namePattern;
}

/** Fences of an independent node. */
export const FENCE_BUCKETS = 65_536;

/** FNV-1a, folded to 16 bits. The same in every client of every version: it decides which fence a name uses. */
export function fenceBucketOf(lockKey: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < lockKey.length; index++) {
    hash = Math.imul(hash ^ lockKey.charCodeAt(index), 0x01000193);
  }
  return String(((hash >>> 16) ^ hash) & (FENCE_BUCKETS - 1));
}

/**
 * A key of ours beside a key, in the same hash slot whenever that is possible: it repeats the key's hash tag, or wraps
 * the whole key in one. The two forms differ in their prefix: `{x}` and `x` are two names and must not share a queue.
 */
export function companionKey(what: string, key: string): string {
  const rest = hashTag(key) === key ? `:{${key}}` : `-of-tagged:${key}`;
  return `${RESERVED_PREFIX}${what}${rest}`;
}

/** The hash slot of a name on a Cluster. */
export function hashSlotOf({ lockKey }: NameKeys): number {
  return keySlot(lockKey);
}

/**
 * Whether all keys of a name are in one hash slot. False for a few names with braces that form no hash tag (`a}b`,
 * `{}x`); such a name cannot be locked on a Cluster node.
 */
export function isOneSlot(keys: NameKeys): boolean {
  return keySlot(keys.lockKey) === keySlot(queueKeyOf(keys));
}
