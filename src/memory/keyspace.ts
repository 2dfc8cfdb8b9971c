import { RedisError } from "./errors.js";
import { SortedSet } from "./sorted-set.js";

interface Values {
  readonly string: string;
  readonly hash: Map<string, string>;
  readonly zset: SortedSet;
  /** Data of other clients: no command here reads it. */
  readonly list: null;
  readonly set: null;
  readonly stream: null;
}

export type ValueType = keyof Values;

/** The value of one key. */
export interface Entry<Type extends ValueType = ValueType> {
  readonly type: Type;
  value: Values[Type];
  /** The last millisecond of the server's clock in which the key exists; Infinity without expiry. */
  expiresAtMs: number;
}

const WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

/**
 * The keys of one server, with its rules of expiry: a key set for `ttl` in the millisecond `at` is gone when the
 * clock shows more than `at + ttl`. The caller that runs commands moves the clock, which does not advance while one
 * runs.
 */
export class Keyspace {
  nowMs = 0;
  /** Called before a command changes a key, with its old value. */
  onWrite: ((key: string, before: Entry | undefined) => void) | undefined;
  readonly #entries = new Map<string, Entry>();

  find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.nowMs <= entry.expiresAtMs) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** @throws RedisError where a value of another type is stored */
  typed<Type extends ValueType>(key: string, type: Type): Entry<Type> | undefined {
    const entry = this.find(key);
    if (entry !== undefined && entry.type !== type) throw new RedisError(WRONG_TYPE);
    return entry as Entry<Type> | undefined;
  }

  put(key: string, entry: Entry): void {
    if (this.onWrite !== undefined) this.onWrite(key, this.find(key));
    this.#entries.set(key, entry);
  }

  /** Must be called before the value or the expiry of an entry is changed in place. */
  touch(key: string, entry: Entry): void {
    this.onWrite?.(key, entry);
  }

  /** The entry of that type whose value is about to change; a new one where there is none. @throws as {@link typed} */
  toChange<Type extends ValueType>(
    key: string,
    type: Type,
    newValue: () => Values[Type],
  ): Entry<Type> {
    const found = this.typed(key, type);
    const entry = found ?? { type, value: newValue(), expiresAtMs: Number.POSITIVE_INFINITY };
    if (found === undefined) this.put(key, entry);
    else this.touch(key, entry);
    return entry;
  }

  /** Removes members, and the key with the last of them. @returns how many there were @throws as {@link typed} */
  deleteMembers(key: string, type: "hash" | "zset", members: readonly string[]): number {
    const entry = this.typed(key, type);
    const gone = new Set(members.filter((member) => entry?.value.has(member)));
    if (entry === undefined || gone.size === 0) return 0;
    if (gone.size === entry.value.size) this.delete(key);
    else {
      this.touch(key, entry);
      for (const member of gone) entry.value.delete(member);
    }
    return gone.size;
  }

  delete(key: string): boolean {
    const before = this.find(key);
    if (before === undefined) return false;
    this.onWrite?.(key, before);
    return this.#entries.delete(key);
  }

  /** Removes it without notifying anybody. */
  drop(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** May include keys that have expired. */
  entries(): IterableIterator<[string, Entry]> {
    return this.#entries.entries();
  }
}

/** A copy that later changes of the original do not affect. */
export function copyOf({ type, value, expiresAtMs }: Entry): Entry {
  if (value instanceof Map) return { type, value: new Map(value), expiresAtMs };
  const isSet = value instanceof SortedSet;
  return { type, value: isSet ? new SortedSet(value.inOrder()) : value, expiresAtMs };
}
