import type { KeyStore } from "./key-store.js";

/** What sorted sets need of a node. */
export interface SortedSetCall {
  readonly keys: KeyStore;
  readonly nowMs: number;
}

export interface Member {
  readonly score: number;
  readonly member: string;
}

/** A sorted set as a node keeps it: in order, written as text. */
export function membersOf({ keys, nowMs }: SortedSetCall, key: string): Member[] {
  return membersIn(keys.get(key, nowMs)?.text);
}

export function membersIn(text: string | undefined): Member[] {
  if (text === undefined) return [];
  return text.split(",").map((each) => {
    const [score, member = ""] = each.split("=");
    return { score: Number(score), member };
  });
}

/** @param ttlMs what is left of its life, unless given */
export function storeMembers(
  { keys, nowMs }: SortedSetCall,
  key: string,
  members: readonly Member[],
  ttlMs = (keys.get(key, nowMs)?.expiresAtMs ?? nowMs) - nowMs,
): void {
  if (members.length === 0) {
    keys.delete(key, nowMs);
    return;
  }
  const inOrder = members.toSorted((a, b) => a.score - b.score || (a.member < b.member ? -1 : 1));
  const text = inOrder.map(({ score, member }) => `${score}=${member}`).join(",");
  keys.set(key, text, nowMs, ttlMs);
}
