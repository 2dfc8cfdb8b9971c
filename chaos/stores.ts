import type { StoreReply, StoreRequest } from "./client/messages.js";
import type { NowUs } from "./clock.js";
import type { StoreRecord } from "./history/records.js";

interface Cell {
  version: number;
  largest: number;
}

/**
 * The two stores that the locks protect, with one counter per name. They are in one process and answer requests one
 * after the other, so that only the lock keeps two writers apart.
 */
export class Stores {
  readonly #now: NowUs;
  readonly #record: (record: StoreRecord) => void;
  readonly #cells = new Map<string, Cell>();
  #overwritten = { fenced: 0, unfenced: 0 };

  constructor(now: NowUs, record: (record: StoreRecord) => void) {
    this.#now = now;
    this.#record = record;
  }

  /** Updates lost so far, for the live view. */
  get overwritten(): Readonly<Record<StoreRequest["store"], number>> {
    return this.#overwritten;
  }

  answer(process: string, request: StoreRequest): StoreReply {
    const { id, store, what, name, ownerId, token, base } = request;
    const cell = this.#cell(`${store} ${name}`);
    const isStale = store === "fenced" && token < cell.largest;
    cell.largest = Math.max(cell.largest, token);
    if (what === "write" && !isStale) {
      if (base !== cell.version) this.#overwritten[store]++;
      cell.version = base + 1;
    }
    this.#record({
      kind: "store",
      atUs: this.#now(),
      process,
      store,
      name,
      ownerId,
      token,
      what: isStale ? "reject" : what,
      base: what === "read" ? cell.version : base,
    });
    return { kind: "store", id, version: isStale ? undefined : cell.version };
  }

  #cell(key: string): Cell {
    const cell = this.#cells.get(key) ?? { version: 0, largest: 0 };
    this.#cells.set(key, cell);
    return cell;
  }
}
