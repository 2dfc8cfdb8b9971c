import { DEFAULTS } from "../src/options/table.js";

export const KEY_PREFIX = DEFAULTS.keyPrefix;

export interface WatchedKey {
  readonly what: "lock" | "readers" | "holds" | "permits" | "size" | "stamp" | "queue";
  readonly name: string;
}

/** Only names of scenarios, which have no braces. */
const BESIDE = /^quorate:(readers|holds|permits|size|stamp|queue):\{lock:(.*)\}$/;

const known = new Map<string, WatchedKey | undefined>();

/** The keys that histories report: lock keys, and the keys beside them that record holders and waiters. */
export function watchedKey(key: string): WatchedKey | undefined {
  if (!known.has(key)) known.set(key, read(key));
  return known.get(key);
}

function read(key: string): WatchedKey | undefined {
  if (key.startsWith(KEY_PREFIX)) return { what: "lock", name: key.slice(KEY_PREFIX.length) };
  const [, what, name] = BESIDE.exec(key) ?? [];
  return name === undefined ? undefined : { what: what as WatchedKey["what"], name };
}
