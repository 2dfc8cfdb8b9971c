import type { NameKeys } from "../protocol/keys.js";
import { inboxChannel } from "../protocol/keys.js";
import { turnTextOf, type Waiter } from "../protocol/operation.js";
import { membersOf, storeMembers, type SortedSetCall } from "./sorted-set.js";

/** Life of a queue after somebody stood in it last, ms; as in the script of real nodes. */
export const QUEUE_TTL_MS = 10_000;

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
  const others = membersOf(call, queueKey).filter(({ member }) => member !== memberOf(waiter));
  const all = [...others, { score: waiter.ticket, member: memberOf(waiter) }];
  storeMembers(call, queueKey, all, QUEUE_TTL_MS);
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
  const others = all.filter(({ member }) => member !== who);
  if (others.length < all.length) storeMembers(call, queueKey, others);
}

export function isWaitedFor(call: QueueCall, { queueKey }: NameKeys): boolean {
  return membersOf(call, queueKey).length > 0;
}

/** The first whose inbox is heard is told, and the name is kept for it for as long as a turn is, if at all. */
export function giveTurn(
  call: QueueCall,
  { lockKey, queueKey }: Pick<NameKeys, "lockKey" | "queueKey">,
  isNotKept = false,
): void {
  for (;;) {
    const [first, ...others] = membersOf(call, queueKey);
    if (first === undefined) return;
    storeMembers(call, queueKey, others);
    const { turnMs, inbox } = placeOf(first.member);
    if (call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`) === 0) continue;
    if (!isNotKept) call.keys.set(lockKey, turnText(inbox), call.nowMs, turnMs);
    return;
  }
}

/** Those of the queue who can have it beside readers: all before the first who can not. */
export function tellReaders(call: QueueCall, { lockKey, queueKey }: NameKeys): void {
  for (const { member } of membersOf(call, queueKey)) {
    const { isReader, turnMs, inbox } = placeOf(member);
    if (!isReader) return;
    call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`);
  }
}

/** Not that it is its turn, but that it is worth a look. */
export function tellFirst(call: QueueCall, { lockKey, queueKey }: NameKeys): void {
  const [first] = membersOf(call, queueKey);
  if (first === undefined) return;
  const { turnMs, inbox } = placeOf(first.member);
  call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`);
}

/** How one who waits stands in the queue. */
export function memberOf(waiter: Waiter): string {
  return `${turnTextOf(waiter)}:${waiter.inbox}`;
}

export function placeOf(member: string): { isReader: boolean; turnMs: number; inbox: string } {
  const [, kind, turnMs, inbox = ""] = /^([rs]?)(\d+):(.*)$/.exec(member) ?? [];
  return { isReader: kind === "r", turnMs: Number(turnMs), inbox };
}
