import type { NameKeys } from "../protocol/keys.js";
import { inboxChannel } from "../protocol/keys.js";
import type { Waiter } from "../protocol/operation.js";
import type { KeyStore } from "./key-store.js";

/** Life of a queue after somebody stood in it last, ms; as in the script of real nodes. */
export const QUEUE_TTL_MS = 10_000;

/** What queues need of a node. */
export interface QueueCall {
  readonly keys: KeyStore;
  readonly nowMs: number;
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
  const all = [...others, { ticket: waiter.ticket, member: memberOf(waiter) }];
  store(call, queueKey, all, QUEUE_TTL_MS);
}

export function leaveQueue(call: QueueCall, { queueKey }: NameKeys, waiter: Waiter): void {
  const all = membersOf(call, queueKey);
  const others = all.filter(({ member }) => member !== memberOf(waiter));
  if (others.length < all.length) store(call, queueKey, others);
}

/** The first whose inbox is heard is told, and the name is kept for it for as long as a turn is. */
export function giveTurn(call: QueueCall, { lockKey, queueKey }: NameKeys): void {
  for (;;) {
    const [first, ...others] = membersOf(call, queueKey);
    if (first === undefined) return;
    store(call, queueKey, others);
    const [turnMs = "", inbox = ""] = first.member.split(":");
    if (call.publish(inboxChannel(inbox), `${turnMs}:${lockKey}`) === 0) continue;
    call.keys.set(lockKey, turnText(inbox), call.nowMs, Number(turnMs));
    return;
  }
}

interface Member {
  readonly ticket: number;
  readonly member: string;
}

function memberOf({ inbox, turnMs }: Waiter): string {
  return `${turnMs}:${inbox}`;
}

/** In order. */
function membersOf({ keys, nowMs }: QueueCall, queueKey: string): Member[] {
  const text = keys.get(queueKey, nowMs)?.text;
  if (text === undefined) return [];
  return text.split(",").map((each) => {
    const [ticket, member = ""] = each.split("=");
    return { ticket: Number(ticket), member };
  });
}

function store(
  { keys, nowMs }: QueueCall,
  queueKey: string,
  members: readonly Member[],
  ttlMs = (keys.get(queueKey, nowMs)?.expiresAtMs ?? nowMs) - nowMs,
): void {
  if (members.length === 0) {
    keys.delete(queueKey, nowMs);
    return;
  }
  const inOrder = members.toSorted((a, b) => a.ticket - b.ticket || (a.member < b.member ? -1 : 1));
  const text = inOrder.map(({ ticket, member }) => `${ticket}=${member}`).join(",");
  keys.set(queueKey, text, nowMs, ttlMs);
}
