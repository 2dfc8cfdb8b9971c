import { textOf } from "../src/memory/bytes.js";
import { copyOf, type Entry, type Keyspace } from "../src/memory/keyspace.js";
import type { Operation } from "../src/protocol/operation.js";
import type { KeyEvent } from "./oracles/history.js";
import { isSameKey, storedIn, type StoredKey } from "./stored-key.js";

/** Foreign code has changed a key, with a command of its own. */
export interface ForeignStep {
  readonly kind: "foreign";
  /** The name of its lock's owner in the history. */
  readonly ownerId: string;
  /** Whether it takes the key from its owner against its own rules. */
  readonly trespasses?: (before: StoredKey | undefined) => boolean;
  /** For a change: whether it did. */
  readonly isTrespass?: boolean;
}

/** The cause of a change. */
export type Author = Operation | ForeignStep;

export interface KeyChange {
  readonly key: string;
  readonly before: StoredKey | undefined;
  readonly after: StoredKey | undefined;
  readonly by: Author | "expire" | "forget";
}

/** The same, as events report it. */
export function doneBy(by: KeyChange["by"]): Pick<KeyEvent, "by" | "op" | "isTrespass"> {
  if (typeof by !== "object") return { by: undefined, op: by };
  if (by.kind === "expire") return { by: undefined, op: "overdue" };
  const isTrespass = by.kind === "foreign" && by.isTrespass === true;
  return { by: by.ownerId, op: by.kind, ...(isTrespass && { isTrespass }) };
}

/** All keys of a node at one time, with their values. */
export type SavedKeys = readonly (readonly [key: string, entry: Entry])[];

/**
 * Reports changes of a node's keys, and their cause. An operation is one step, whatever commands it takes: a change
 * is reported as the value before it and the value after it.
 */
export class NodeKeys {
  readonly #keys: Keyspace;
  readonly #isWatched: (key: string) => boolean;
  readonly #onChange: (change: KeyChange) => void;
  /** By the key's bytes: the value before the current operation. */
  readonly #before = new Map<string, StoredKey | undefined>();
  #by: Author | undefined;

  constructor(
    keys: Keyspace,
    isWatched: (key: string) => boolean,
    onChange: (change: KeyChange) => void,
  ) {
    this.#keys = keys;
    this.#isWatched = isWatched;
    this.#onChange = onChange;
  }

  /** Runs operations in one script call (`atWork` tells which one is changing a key), or one foreign command. */
  during<Result>(
    atWork: (key: string, before: Entry | undefined) => Author,
    run: () => Result,
  ): Result {
    const keys = this.#keys;
    keys.onWrite = (key, entry) => {
      if (!this.#isWatched(key)) return;
      const by = atWork(key, entry);
      if (by !== this.#by) this.#tell();
      this.#by = by;
      if (!this.#before.has(key)) this.#before.set(key, storedIn(entry));
    };
    try {
      return run();
    } finally {
      keys.onWrite = undefined;
      this.#tell();
    }
  }

  #tell(): void {
    if (this.#by === undefined) return;
    const changes = [...this.#before];
    const by = this.#by;
    this.#before.clear();
    this.#by = undefined;
    for (const [bytes, before] of changes) {
      const after = storedIn(this.#keys.find(bytes));
      if (isSameKey(before, after)) continue;
      this.#onChange({ key: textOf(bytes), before, after, by: looked(by, before) });
    }
  }

  /** Removes what has expired. */
  sweep(): void {
    for (const [bytes, entry] of this.#keys.entries()) {
      if (this.#keys.nowMs <= entry.expiresAtMs) continue;
      this.#keys.drop(bytes);
      this.#tellGone(bytes, entry);
    }
  }

  save(): SavedKeys {
    return this.#alive().map(([key, entry]) => [key, copyOf(entry)]);
  }

  /** Goes back to an earlier state, or to none. */
  restore(saved: SavedKeys): void {
    const was = new Map(this.#alive());
    const alive = saved.filter(([, { expiresAtMs }]) => this.#keys.nowMs <= expiresAtMs);
    this.#keys.clear();
    for (const [key, entry] of alive) this.#keys.put(key, copyOf(entry));
    for (const bytes of new Set([...was.keys(), ...alive.map(([key]) => key)])) {
      if (!this.#isWatched(bytes)) continue;
      const [before, after] = [storedIn(was.get(bytes)), storedIn(this.#keys.find(bytes))];
      if (isSameKey(before, after)) continue;
      this.#onChange({ key: textOf(bytes), before, after, by: "forget" });
    }
  }

  /** The watched keys, with when each expires. */
  *watched(): Iterable<StoredKey> {
    for (const [bytes, entry] of this.#keys.entries()) {
      if (this.#isWatched(bytes)) yield storedIn(entry) as StoredKey;
    }
  }

  #alive(): (readonly [string, Entry])[] {
    return [...this.#keys.entries()].filter(([, entry]) => this.#keys.nowMs <= entry.expiresAtMs);
  }

  #tellGone(bytes: string, entry: Entry): void {
    if (!this.#isWatched(bytes)) return;
    this.#onChange({ key: textOf(bytes), before: storedIn(entry), after: undefined, by: "expire" });
  }
}

function looked(by: Author, before: StoredKey | undefined): Author {
  const isTrespass = by.kind === "foreign" && by.trespasses?.(before) === true;
  return isTrespass ? { ...by, isTrespass } : by;
}
