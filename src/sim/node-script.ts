import { MAX_FENCE, nextFence } from "../protocol/fencing.js";
import { faultVote, type Operation, type RefusedVote, type Vote } from "../protocol/operation.js";
import type { KeyStore, StoredKey } from "./key-store.js";
import { giveTurn, leaveQueue, queueUp, turnText } from "./node-queue.js";

/** What one script call works with. Its time is frozen. */
export interface ScriptCall {
  readonly keys: KeyStore;
  readonly nowUs: number;
  readonly fenceSlackUs: number;
  readonly fenceRetentionMs: number;
  /** False if the node's record is not the sender's. */
  readonly isKnown: boolean;
  readonly nowMs: number;
  /** Tells whoever listens to the channel, and how many those are. */
  publish(channel: string, message: string): number;
}

const FREE: RefusedVote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };

/** One operation on a node: the same steps, in the same order, as the script on a real one. */
export function runOperation(call: ScriptCall, operation: Operation): Vote {
  switch (operation.kind) {
    case "acquire":
      return acquire(call, operation);
    case "seal":
      return seal(call, operation);
    case "extend":
      return extend(call, operation);
    case "heal":
      return heal(call, operation);
    case "release":
      return release(call, operation);
    case "leave":
      return leave(call, operation);
  }
}

function acquire(call: ScriptCall, operation: Operation): Vote {
  const { keys, ownerId, ttlMs, fence: proposal, waiter } = operation;
  if (!call.isKnown) {
    return faultVote("quarantined", false, "the node forgot its keys; it is asked who it is");
  }
  const holder = get(call, keys.lockKey);
  const isOurTurn = waiter !== undefined && holder?.text === turnText(waiter.inbox);
  const isOurs = holder?.text === ownerId;
  if (holder !== undefined && !isOurs && !isOurTurn) {
    if (waiter !== undefined) queueUp(call, keys, waiter);
    return refuse(call, holder);
  }
  const leftMs = isOurs ? remainingMs(call, holder) : 0;
  let fence = 0;
  if (proposal !== undefined) {
    const last = get(call, keys.fenceKey);
    fence = nextFence(fenceOf(last), proposal, call.nowUs, call.fenceSlackUs);
    if (fence > MAX_FENCE) {
      storeFence(call, keys.fenceKey, fenceOf(last));
      return faultVote("server", true, "the fence would pass 2^53 - 1");
    }
    storeFence(call, keys.fenceKey, fence);
  }
  set(call, keys.lockKey, ownerId, Math.max(ttlMs, leftMs));
  if (waiter !== undefined) leaveQueue(call, keys, waiter);
  return { kind: "granted", fence };
}

function seal(call: ScriptCall, { keys, ownerId, fence: token = 0 }: Operation): Vote {
  const holder = get(call, keys.lockKey);
  if (holder === undefined) return FREE;
  if (holder.text !== ownerId) return refuse(call, holder);
  const last = get(call, keys.fenceKey);
  if (last !== undefined && fenceOf(last) >= token) {
    return { kind: "refused", reason: "held", remainingMs: 0, label: undefined };
  }
  storeFence(call, keys.fenceKey, token);
  return { kind: "granted", fence: token };
}

function extend(call: ScriptCall, { keys, ownerId, ttlMs }: Operation): Vote {
  const holder = get(call, keys.lockKey);
  if (holder === undefined) return FREE;
  if (holder.text !== ownerId) return refuse(call, holder);
  if (ttlMs > remainingMs(call, holder)) set(call, keys.lockKey, ownerId, ttlMs);
  return { kind: "granted", fence: 0 };
}

function heal(call: ScriptCall, operation: Operation): Vote {
  const { keys, ownerId, ttlMs, fence: token, waiter } = operation;
  const standing = get(call, keys.lockKey);
  const isOurTurn = waiter !== undefined && standing?.text === turnText(waiter.inbox);
  const holder = isOurTurn ? undefined : standing;
  liftFence(call, keys.fenceKey, token);
  if (holder === undefined) set(call, keys.lockKey, ownerId, ttlMs);
  else if (holder.text !== ownerId) return refuse(call, holder);
  return { kind: "granted", fence: 0 };
}

function release(call: ScriptCall, { keys, ownerId, fence: token, waiter }: Operation): Vote {
  const holder = get(call, keys.lockKey);
  const isOurs = holder?.text === ownerId;
  if (isOurs) call.keys.delete(keys.lockKey, nowMs(call));
  liftFence(call, keys.fenceKey, token);
  if (waiter !== undefined) queueUp(call, keys, waiter);
  if (holder === undefined || isOurs) giveTurn(call, keys);
  if (holder === undefined) return FREE;
  return isOurs ? { kind: "granted", fence: 0 } : refuse(call, holder);
}

function leave(call: ScriptCall, { keys, waiter }: Operation): Vote {
  if (waiter !== undefined) {
    leaveQueue(call, keys, waiter);
    if (get(call, keys.lockKey)?.text === turnText(waiter.inbox)) {
      call.keys.delete(keys.lockKey, nowMs(call));
      giveTurn(call, keys);
    }
  }
  return { kind: "granted", fence: 0 };
}

function refuse(call: ScriptCall, holder: StoredKey): RefusedVote {
  if (holder.expiresAtMs === Number.POSITIVE_INFINITY) {
    return { kind: "refused", reason: "foreign", remainingMs: 0, label: "string without expiry" };
  }
  const label = holder.text[22] === ":" ? holder.text.slice(23) : "";
  return {
    kind: "refused",
    reason: "held",
    remainingMs: remainingMs(call, holder),
    label: label === "" ? undefined : label,
  };
}

function liftFence(call: ScriptCall, key: string, token: number | undefined): void {
  if (token === undefined) return;
  const last = get(call, key);
  if (last === undefined || fenceOf(last) < token) storeFence(call, key, token);
}

function storeFence(call: ScriptCall, key: string, fence: number): void {
  set(call, key, String(fence), call.fenceRetentionMs);
}

function fenceOf(stored: StoredKey | undefined): number {
  // No fence yet is as good as one below every proposal.
  return stored === undefined ? Number.NEGATIVE_INFINITY : Number(stored.text);
}

function get(call: ScriptCall, key: string): StoredKey | undefined {
  return call.keys.get(key, nowMs(call));
}

function set(call: ScriptCall, key: string, text: string, ttlMs: number): void {
  call.keys.set(key, text, nowMs(call), ttlMs);
}

function remainingMs(call: ScriptCall, stored: StoredKey): number {
  return stored.expiresAtMs - nowMs(call);
}

function nowMs(call: ScriptCall): number {
  return call.nowMs;
}
