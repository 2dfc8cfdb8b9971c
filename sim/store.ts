import type { StoreEvent } from "./oracles/history.js";

/** A counter that a lock protects: a writer reads it and writes one more. */
export interface Store {
  /** The version that a writer starts from; undefined if the store rejected the read. */
  read(token: number | undefined): number | undefined;
  /** Writes from that version on; false if the store rejected the write. */
  write(base: number, token: number | undefined): boolean;
}

/** Accepts everything. Lost updates show in the history. */
export function unfencedStore(): Store {
  let version = 0;
  return {
    read: () => version,
    write: (base) => {
      version = base + 1;
      return true;
    },
  };
}

/** Rejects any access, including reads, with a smaller token than it has seen. */
export function fencedStore(): Store {
  let version = 0;
  let largest = 0;
  const isStale = (token = 0): boolean => {
    if (token < largest) return true;
    largest = token;
    return false;
  };
  return {
    read: (token) => (isStale(token) ? undefined : version),
    write: (base, token) => {
      if (isStale(token)) return false;
      version = base + 1;
      return true;
    },
  };
}

export type StoreKind = StoreEvent["store"];
