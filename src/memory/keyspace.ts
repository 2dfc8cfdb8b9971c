import { RedisError } from "./errors.js";
import { SortedSet } from "./sorted-set.js";

interface Values {
  readonly string: string;
  readonly hash: Map<string, string>;
  readonly zset: SortedSet;
  /** Other clients' data: no command here looks into them. */
  readonly list: null;
  readonly set: null;
  readonly stream: null;
}

export type ValueType = keyof Values;

/** What stands under one key. */
export interface Entry<Type extends ValueType = ValueType> {
  readonly type: Type;
  value: Values[Type];
  /** The last millisecond of the server's clock in which it is there; Infinity for good. */
  expiresAtMs: number;
}

const WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

/**
 * The keys of one server, with its rules of expiry: a key set for `ttl` in the millisecond `at` is
 * gone when the clock shows more than `at + ttl`. The clock is moved by who runs commands, and stands
 * still while one runs.
 */
export class Keyspace {
  nowMs = 0;
  /** Called before a command changes a key, with what stands there. */
  onWrite: ((key: string, before: Entry | undefined) => void) | undefined;
  readonly #entries = new Map<string, Entry>();

  find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || this.nowMs <= entry.expiresAtMs) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** @throws RedisError where something of another type stands */
  typed<Type extends ValueType>(key: string, type: Type): Entry<Type> | undefined {
    const entry = this.find(key);
    if (entry !== undefined && entry.type !== type) throw new RedisError(WRONG_TYPE);
    return entry as Entry<Type> | undefined;
  }

  put(key: string, entry: Entry): void {
    if (this.onWrite !== undefined) this.onWrite(key, this.find(key));
    this.#entries.set(key, entry);
  }

  /** To be called before the value or the expiry of an entry is changed in place. */
  touch(key: string, entry: Entry): void {
    this.onWrite?.(key, entry);
  }

  delete(key: string): boolean {
    const before = this.find(key);
    if (before === undefined) return false;
    this.onWrite?.(key, before);
    return this.#entries.delete(key);
  }

  /** Removes it, and tells nobody. */
  drop(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Those that have expired may still be among them. */
  entries(): IterableIterator<[string, Entry]> {
    return this.#entries.entries();
  }
}

/** The same again, which what is done to the one does not change. */
export function copyOf({ type, value, expiresAtMs }: Entry): Entry {
  if (value instanceof Map) return { type, value: new Map(value), expiresAtMs };
  const isSet = value instanceof SortedSet;
  return { type, value: isSet ? new SortedSet(value.inOrder()) : value, expiresAtMs };
}
