import type { SortedSetCall } from "./sorted-set.js";

/** A hash as a node keeps it, written as text: in order of its fields. */
export function fieldsIn(text: string | undefined): Map<string, string> {
  if (text === undefined || !isHash(text)) return new Map();
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}

/** No string key of a node begins like this. */
export function isHash(text: string): boolean {
  return text.startsWith("{");
}

export function hashText(fields: ReadonlyMap<string, string>): string {
  const inOrder = [...fields].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(inOrder));
}

export function storeFields(
  { keys, nowMs }: SortedSetCall,
  key: string,
  fields: ReadonlyMap<string, string>,
  ttlMs: number,
): void {
  keys.set(key, hashText(fields), nowMs, ttlMs);
}
