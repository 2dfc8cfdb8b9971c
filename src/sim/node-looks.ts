import { companionKey } from "../protocol/keys.js";
import { membersOfSet } from "../protocol/layout.js";
import type { Operation, RefusedVote, Sighting, Vote } from "../protocol/operation.js";
import { fenceOf, FREE, get, refuse, remainingMs, SHARED, type ScriptCall } from "./node-steps.js";
import { membersOf, storeMembers } from "./sorted-set.js";

/** What a heal is answered whose lock an operator has ended. */
export const ENDED: RefusedVote = { ...FREE, reason: "ended" };

/** All that stands under a name; changes nothing. */
export function inspect(call: ScriptCall, { keys }: Operation): Vote {
  const holder = get(call, keys.lockKey);
  if (holder?.expiresAtMs === Number.POSITIVE_INFINITY) return refuse(call, holder);
  const isRead = holder?.text === SHARED;
  const [readersKey = ""] = keys.layout?.keys ?? [];
  const readers = isRead ? membersOf(call, readersKey) : [];
  const fence = get(call, keys.fenceKey);
  const sighting: Sighting = {
    holder: holder?.text,
    remainingMs: holder === undefined ? 0 : remainingMs(call, holder),
    fence: fence && fenceOf(fence),
    waitingCount: membersOf(call, keys.queueKey).length,
    readers: readers
      .filter(({ score }) => score >= call.nowMs)
      .map(({ member, score }) => ({ ownerId: member, remainingMs: score - call.nowMs })),
  };
  return { kind: "granted", fence: 0, sighting };
}

/** Remembers whose lock an operator has ended. */
export function revoke(call: ScriptCall, { keys, ownerId, ttlMs }: Operation): Vote {
  const endedKey = companionKey("ended", keys.lockKey);
  const leftMs = (call.keys.get(endedKey, call.nowMs)?.expiresAtMs ?? 0) - call.nowMs;
  const others = membersOf(call, endedKey).filter(({ member }) => member !== ownerId);
  storeMembers(call, endedKey, [...others, { score: 0, member: ownerId }], Math.max(ttlMs, leftMs));
  return { kind: "granted", fence: 0 };
}

/** Whether an operator has ended the owner's lock. */
export function isEnded(call: ScriptCall, { keys, ownerId }: Operation): boolean {
  return membersOfSet(keys).some(({ lockKey }) => {
    const ended = membersOf(call, companionKey("ended", lockKey));
    return ended.some(({ member }) => member === ownerId);
  });
}
