/** What a node has stored under one key. */
export interface StoredKey {
  readonly text: string;
  /** Node time, ms; Infinity for a key without ttl. */
  readonly expiresAtMs: number;
}

/** Told of every change; `undefined` for a key that is not there. */
export type KeyListener = (
  key: string,
  before: StoredKey | undefined,
  after: StoredKey | undefined,
) => void;

/**
 * The keys of one node, with the expiry of Redis: a key set for `ttl` in the millisecond `at` is dead
 * when the clock shows more than `at + ttl`, so it never lives shorter than its ttl in node time.
 */
export class KeyStore {
  readonly #keys = new Map<string, StoredKey>();
  readonly #onChange: KeyListener;

  constructor(onChange: KeyListener) {
    this.#onChange = onChange;
  }

  get(key: string, nowMs: number): StoredKey | undefined {
    const stored = this.#keys.get(key);
    return stored === undefined || nowMs > stored.expiresAtMs ? undefined : stored;
  }

  set(key: string, text: string, nowMs: number, ttlMs: number): void {
    const before = this.get(key, nowMs);
    const after = { text, expiresAtMs: nowMs + ttlMs };
    this.#keys.set(key, after);
    this.#onChange(key, before, after);
  }

  delete(key: string, nowMs: number): void {
    const before = this.get(key, nowMs);
    this.#keys.delete(key);
    if (before !== undefined) this.#onChange(key, before, undefined);
  }

  /** Removes what is dead. */
  sweep(nowMs: number): void {
    for (const [key, stored] of this.#keys) {
      if (nowMs <= stored.expiresAtMs) continue;
      this.#keys.delete(key);
      this.#onChange(key, stored, undefined);
    }
  }

  clear(): void {
    this.restore([]);
  }

  /** Goes back to an earlier state. */
  restore(entries: Iterable<readonly [string, StoredKey]>): void {
    const before = new Map(this.#keys);
    this.#keys.clear();
    for (const [key, stored] of entries) this.#keys.set(key, stored);
    for (const key of new Set([...before.keys(), ...this.#keys.keys()])) {
      const [was, is] = [before.get(key), this.#keys.get(key)];
      if (was !== is) this.#onChange(key, was, is);
    }
  }

  entries(): IterableIterator<[string, StoredKey]> {
    return this.#keys.entries();
  }
}
