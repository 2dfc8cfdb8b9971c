import type { NameKeys } from "../protocol/keys.js";
import { inboxChannel } from "../protocol/keys.js";
import { turnTextOf, type Waiter } from "../protocol/operation.js";
import { PLACE_MS } from "../protocol/place.js";
import { membersOf, storeMembers, type Member, type SortedSetCall } from "./sorted-set.js";

/** As in the script of real nodes. */
const LEASES_FROM = 2 ** 52;

/** What queues need of a node. */
export interface QueueCall extends SortedSetCall {
  /** Tells whoever listens to the channel, and how many those are. */
  publish(channel: string, message: string): number;
}

/** What the lock key holds while it is the turn of one who waits. It stands for no owner. */
export function turnText(inbox: string): string {
  return `turn:${inbox}`;
}

export function isTurn(text: string): boolean {
  return text.startsWith("turn:");
}

export function queueUp(call: QueueCall, { queueKey }: NameKeys, waiter: Waiter): void {
  const place = memberOf(waiter);
  const others = without(membersOf(call, queueKey), place);
  const seen = { score: LEASES_FROM + call.nowMs, member: leaseOf(place) };
  const all = [...others, { score: waiter.ticket, member: place }, seen];
  storeMembers(call, queueKey, all, PLACE_MS);
}

/** Not written more often than needs be. */
export function refreshPlace(call: QueueCall, keys: NameKeys, waiter: Waiter): void {
  const seen = seenAt(call, keys.queueKey, memberOf(waiter));
  if (!isFresh(call, seen, PLACE_MS / 4)) queueUp(call, keys, waiter);
}

export function leaveQueue(call: QueueCall, { queueKey }: NameKeys, waiter: Waiter): void {
  leaveQueueAs(call, queueKey, memberOf(waiter));
}

/** Out of it, whatever it had waited for. */
export function leaveQueueWholly(call: QueueCall, keys: NameKeys, waiter: Waiter): void {
  leaveQueue(call, keys, { ...waiter, isReader: false });
  leaveQueue(call, keys, { ...waiter, isReader: true });
}

export function leaveQueueAs(call: QueueCall, queueKey: string, who: string): void {
  const all = membersOf(call, queueKey);
  const others = without(all, who);
  if (others.length < all.length) storeMembers(call, queueKey, others);
}

/** The place of that rank of those that count; who did not refresh its own is taken out when met. */
export function placeAt(call: QueueCall, queueKey: string, rank: number): Member | undefined {
  for (;;) {
    const place = membersOf(call, queueKey)[rank];
    if (place === undefined || isLease(place)) return undefined;
    if (isFresh(call, seenAt(call, queueKey, place.member), PLACE_MS)) return place;
    leaveQueueAs(call, queueKey, place.member);
  }
}

/** How many count. Takes nobody out. */
export function placeCount(call: QueueCall, queueKey: string): number {
  return membersOf(call, queueKey).filter(
    (each) => isLease(each) && isFresh(call, each.score, PLACE_MS),
  ).length;
}

export function isWaitedFor(call: QueueCall, { queueKey }: NameKeys): boolean {
  return placeAt(call, queueKey, 0) !== undefined;
}

/** The first whose inbox is heard is told, and the name is kept for it for as long as a turn is, if at all. */
export function giveTurn(
  call: QueueCall,
  { lockKey, queueKey }: Pick<NameKeys, "lockKey" | "queueKey">,
  isNotKept = false,
): void {
  for (;;) {
    const first = placeAt(call, queueKey, 0);
    if (first === undefined) return;
    leaveQueueAs(call, queueKey, first.member);
    const { turnMs, inbox } = placeOf(first.member);
    if (call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`) === 0) continue;
    if (!isNotKept) call.keys.set(lockKey, turnText(inbox), call.nowMs, turnMs);
    return;
  }
}

/** Those of the queue who can have it beside readers: all before the first who can not. */
export function tellReaders(call: QueueCall, { lockKey, queueKey }: NameKeys): void {
  for (let rank = 0; ; rank++) {
    const { isReader, turnMs, inbox } = placeOf(placeAt(call, queueKey, rank)?.member ?? "");
    if (!isReader) return;
    call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`);
  }
}

/** Not that it is its turn, but that it is worth a look. */
export function tellFirst(call: QueueCall, { lockKey, queueKey }: NameKeys): void {
  const first = placeAt(call, queueKey, 0);
  if (first === undefined) return;
  const { turnMs, inbox } = placeOf(first.member);
  call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`);
}

/** Whether one who is no reader waits in front of a reader with that ticket; of one without, anywhere. */
export function isBehindWriter(
  call: QueueCall,
  queueKey: string,
  reader: Pick<Waiter, "ticket" | "inbox"> | undefined,
): boolean {
  for (let rank = 0; ;) {
    const place = placeAt(call, queueKey, rank);
    if (place === undefined || (reader !== undefined && reader.ticket < place.score)) return false;
    const { isReader, inbox } = placeOf(place.member);
    if (isReader || inbox === reader?.inbox) rank++;
    else if (call.publish(inboxChannel(inbox), "") > 0) return true;
    else leaveQueueAs(call, queueKey, place.member);
  }
}

function leaseOf(place: string): string {
  return `@${place}`;
}

function isLease({ member }: Member): boolean {
  return member.startsWith("@");
}

function without(all: readonly Member[], place: string): Member[] {
  return all.filter(({ member }) => member !== place && member !== leaseOf(place));
}

function seenAt(call: QueueCall, queueKey: string, place: string): number | undefined {
  return membersOf(call, queueKey).find(({ member }) => member === leaseOf(place))?.score;
}

function isFresh(call: QueueCall, seen: number | undefined, limitMs: number): boolean {
  return seen !== undefined && Math.abs(LEASES_FROM + call.nowMs - seen) <= limitMs;
}

/** How one who waits stands in the queue. */
export function memberOf(waiter: Waiter): string {
  return `${turnTextOf(waiter)}:${waiter.inbox}`;
}

export function placeOf(member: string): { isReader: boolean; turnMs: number; inbox: string } {
  const [, kind, turnMs, inbox = ""] = /^([rs]?)(\d+):(.*)$/.exec(member) ?? [];
  return { isReader: kind === "r", turnMs: Number(turnMs), inbox };
}
