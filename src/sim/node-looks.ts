import { companionKey, ENDED_KEY } from "../protocol/keys.js";
import { membersOfSet } from "../protocol/layout.js";
import type { Operation, RefusedVote, Sighting, Vote } from "../protocol/operation.js";
import { OWNER_PREFIX } from "../protocol/owned.js";
import { timestampLayoutOf } from "../protocol/timestamps.js";
import { permitsIn, slotsOf } from "../protocol/slots.js";
import { fieldsIn, isHash } from "./hash.js";
import { HOLD_FIELD } from "./layouts/owned.js";
import {
  fenceOf,
  foreignAt,
  FREE,
  get,
  refuse,
  remainingMs,
  set,
  SHARED,
  type ScriptCall,
} from "./node-steps.js";
import { isBehindWriter, placeCount, refreshPlace, turnText } from "./node-queue.js";
import { membersOf, storeMembers } from "./sorted-set.js";

/** What is answered to a heal or an acquire whose lock an operator has ended. */
export const ENDED: RefusedVote = { ...FREE, reason: "ended" };

/** All that stands under a name; changes nothing. */
export function inspect(call: ScriptCall, { keys }: Operation): Vote {
  const holder = get(call, keys.lockKey);
  if (holder !== undefined && isHash(holder.text)) return foreignAt(call, keys.lockKey);
  if (holder?.expiresAtMs === Number.POSITIVE_INFINITY) return refuse(call, holder);
  const fence = get(call, keys.fenceKey);
  const sighting: Sighting = {
    holder: holder?.text,
    remainingMs: holder === undefined ? 0 : remainingMs(call, holder),
    fence: fence && fenceOf(fence),
    waitingCount: placeCount(call, keys.queueKey),
    beside: standingBeside(call, holder?.text ?? "", keys.layout?.keys ?? [])
      .filter(({ endsAtMs }) => endsAtMs >= call.nowMs)
      .map(({ text, endsAtMs }) => ({ text, remainingMs: endsAtMs - call.nowMs }))
      .toSorted((a, b) => (a.text < b.text ? -1 : 1)),
  };
  return { kind: "granted", fence: 0, sighting };
}

/** Readers, permits or holds of an owner, as the lock key says. */
function standingBeside(
  call: ScriptCall,
  holder: string,
  [readersKey = "", slotsKey = "", holdsKey = "", stampKey = ""]: readonly string[],
): { text: string; endsAtMs: number }[] {
  if (holder.startsWith(OWNER_PREFIX)) {
    const fields = [...fieldsIn(get(call, holdsKey)?.text)];
    return fields.flatMap(([field, ends]) => {
      if (!field.startsWith(HOLD_FIELD)) return [];
      return [{ text: field.slice(HOLD_FIELD.length), endsAtMs: Number(ends) }];
    });
  }
  const stamp = get(call, stampKey);
  if (stamp !== undefined && timestampLayoutOf(holder) && stamp.text.startsWith(`${holder} `)) {
    return [{ text: stamp.text.slice(holder.length + 1), endsAtMs: stamp.expiresAtMs }];
  }
  if (holder !== SHARED && permitsIn(holder) === undefined) return [];
  const members = membersOf(call, holder === SHARED ? readersKey : slotsKey);
  return members.flatMap(({ member, score }) => {
    return /^\d+:turn:/.test(member) ? [] : [{ text: member, endsAtMs: score }];
  });
}

/** Remembers whose lock an operator has ended. */
export function revoke(call: ScriptCall, { keys, ownerId, ttlMs }: Operation): Vote {
  const endedKey = companionKey("ended", keys.lockKey);
  const leftMs = (call.keys.get(endedKey, call.nowMs)?.expiresAtMs ?? 0) - call.nowMs;
  const others = membersOf(call, endedKey).filter(({ member }) => member !== ownerId);
  storeMembers(call, endedKey, [...others, { score: 0, member: ownerId }], Math.max(ttlMs, leftMs));
  if (call.isCompared) {
    const standing = get(call, ENDED_KEY);
    const waryMs = standing === undefined ? 0 : remainingMs(call, standing);
    if (ttlMs > waryMs) set(call, ENDED_KEY, "", ttlMs);
  }
  return { kind: "granted", fence: 0 };
}

/**
 * Whether it would have a lock come back that an operator has ended: a heal, or an acquire that was
 * still on its way.
 */
export function bringsBack(call: ScriptCall, operation: Operation): boolean {
  if (operation.kind === "heal") return isEnded(call, operation);
  const isWary = call.isCompared && call.isKnown && get(call, ENDED_KEY) !== undefined;
  return operation.kind === "acquire" && isWary && isEnded(call, operation);
}

function isEnded(call: ScriptCall, { keys, ownerId }: Operation): boolean {
  return membersOfSet(keys).some(({ lockKey }) => {
    const ended = membersOf(call, companionKey("ended", lockKey));
    return ended.some(({ member }) => member === ownerId);
  });
}

/** Renews places in queues, and tells how the names stand. */
export function refresh(call: ScriptCall, { places = [] }: Operation): Vote {
  const holders = places.map(({ keys }) => {
    const holder = get(call, keys.lockKey);
    return holder === undefined || isHash(holder.text) ? undefined : holder;
  });
  const blockedMs = Float64Array.from(places, (place, at) => {
    const { keys, waiter } = place;
    // Data of somebody in place of the queue stays.
    const isQueue = get(call, keys.queueKey)?.text.includes("=") !== false;
    if (isQueue) refreshPlace(call, keys, waiter);
    const holder = holders[at];
    if (holder === undefined || holder.expiresAtMs === Number.POSITIVE_INFINITY) return 0;
    if (holder.text === turnText(waiter.inbox)) return 0;
    const leftMs = remainingMs(call, holder);
    if (waiter.isReader === true && holder.text === SHARED) {
      return isBehindWriter(call, keys.queueKey, waiter) ? leftMs : 0;
    }
    const slots = slotsOf(keys);
    const [slotsKey = ""] = keys.layout?.keys ?? [];
    if (slots === undefined || holder.text !== `semaphore:${slots.permits}`) return leftMs;
    return leftOfPermits(call, slotsKey, slots.permits);
  });
  const begins = holders.map((holder) => holder?.text.slice(0, 6).replaceAll(",", ".") ?? "");
  const looks = { nowMs: call.nowMs, blockedMs, holders: begins.join(",") };
  return { kind: "granted", fence: 0, looks };
}

/** Full where so many stand there that have not ended. */
function leftOfPermits(call: ScriptCall, slotsKey: string, permits: number): number {
  const all = membersOf(call, slotsKey);
  const alive = all.filter(({ score }) => score >= call.nowMs);
  if (alive.length < all.length) storeMembers(call, slotsKey, alive);
  return alive.length < permits ? 0 : Math.max(1, (alive[0]?.score ?? 0) - call.nowMs);
}
