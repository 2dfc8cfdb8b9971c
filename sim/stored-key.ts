import { textOf } from "../src/memory/bytes.js";
import type { Entry } from "../src/memory/keyspace.js";
import type { Scored } from "../src/memory/sorted-set.js";

/** What a node has stored under one key at one time. */
export interface StoredKey {
  /** The text of a string; empty for all other types. */
  readonly text: string;
  /** The members of a sorted set, in order. */
  readonly members?: readonly Scored[];
  readonly fields?: ReadonlyMap<string, string>;
  /** Node time, ms; Infinity for a key without ttl. */
  readonly expiresAtMs: number;
}

/** Undefined if there is no entry. */
export function storedIn(entry: Entry | undefined): StoredKey | undefined {
  if (entry === undefined) return undefined;
  const { type, expiresAtMs } = entry;
  switch (type) {
    case "string":
      return { text: textOf(entry.value as string), expiresAtMs };
    case "zset":
      return { text: "", members: (entry.value as Entry<"zset">["value"]).inOrder(), expiresAtMs };
    case "hash":
      return { text: "", fields: new Map(entry.value as Entry<"hash">["value"]), expiresAtMs };
    case "list":
    case "set":
    case "stream":
      return { text: "", expiresAtMs };
  }
}

/** Whether the two are indistinguishable. */
export function isSameKey(left: StoredKey | undefined, right: StoredKey | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.text === right.text &&
    left.expiresAtMs === right.expiresAtMs &&
    areSameMembers(left.members, right.members) &&
    areSameFields(left.fields, right.fields)
  );
}

function areSameMembers(left: StoredKey["members"], right: StoredKey["members"]): boolean {
  if (left === right) return true;
  if (left?.length !== right?.length) return false;
  return (
    left?.every(([member, score], index) => {
      const other = right?.[index];
      return other?.[0] === member && other[1] === score;
    }) ?? false
  );
}

function areSameFields(left: StoredKey["fields"], right: StoredKey["fields"]): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined || left.size !== right.size) return false;
  for (const [field, value] of left) if (right.get(field) !== value) return false;
  return true;
}
