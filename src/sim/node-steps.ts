import { MAX_FENCE, nextFence } from "../protocol/fencing.js";
import { faultVote, type Operation, type RefusedVote, type Vote } from "../protocol/operation.js";
import type { KeyStore, StoredKey } from "./key-store.js";

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

export const FORGOT = faultVote(
  "quarantined",
  false,
  "the node forgot its keys; it is asked who it is",
);

export const FREE: RefusedVote = {
  kind: "refused",
  reason: "free",
  remainingMs: 0,
  label: undefined,
};

/** What the lock key holds while there are readers. */
export const SHARED = "shared:";

export const NO_FENCE_LEFT = faultVote("server", true, "the fence would pass 2^53 - 1");

/** The fence of a grant; 0 without fencing, undefined where the counter is used up. */
export function storeNextFence(call: ScriptCall, operation: Operation): number | undefined {
  const { fence: proposal } = operation;
  const { fenceKey } = operation.keys;
  if (proposal === undefined) return 0;
  const last = get(call, fenceKey);
  const fence = nextFence(fenceOf(last), proposal, call.nowUs, call.fenceSlackUs);
  storeFence(call, fenceKey, fence > MAX_FENCE ? fenceOf(last) : fence);
  return fence > MAX_FENCE ? undefined : fence;
}

/** The token where the fence is below it. */
export function sealFence(call: ScriptCall, fenceKey: string, token: number): Vote {
  const last = get(call, fenceKey);
  if (last !== undefined && fenceOf(last) >= token) {
    return { kind: "refused", reason: "held", remainingMs: 0, label: undefined };
  }
  storeFence(call, fenceKey, token);
  return { kind: "granted", fence: token };
}

export function refuse(call: ScriptCall, holder: StoredKey): RefusedVote {
  if (holder.expiresAtMs === Number.POSITIVE_INFINITY) {
    return { kind: "refused", reason: "foreign", remainingMs: 0, label: "string without expiry" };
  }
  const leftMs = remainingMs(call, holder);
  if (holder.text === SHARED) {
    return {
      kind: "refused",
      reason: "held",
      remainingMs: leftMs,
      label: undefined,
      isShared: true,
    };
  }
  const label = holder.text[22] === ":" ? holder.text.slice(23) : "";
  return {
    kind: "refused",
    reason: "held",
    remainingMs: leftMs,
    label: label === "" ? undefined : label,
  };
}

export function liftFence(call: ScriptCall, key: string, token: number | undefined): void {
  if (token === undefined) return;
  const last = get(call, key);
  if (last === undefined || fenceOf(last) < token) storeFence(call, key, token);
}

export function storeFence(call: ScriptCall, key: string, fence: number): void {
  set(call, key, String(fence), call.fenceRetentionMs);
}

export function fenceOf(stored: StoredKey | undefined): number {
  // No fence yet is as good as one below every proposal.
  return stored === undefined ? Number.NEGATIVE_INFINITY : Number(stored.text);
}

export function get(call: ScriptCall, key: string): StoredKey | undefined {
  return call.keys.get(key, nowMs(call));
}

export function set(call: ScriptCall, key: string, text: string, ttlMs: number): void {
  call.keys.set(key, text, nowMs(call), ttlMs);
}

export function remainingMs(call: ScriptCall, stored: StoredKey): number {
  return stored.expiresAtMs - nowMs(call);
}

export function nowMs(call: ScriptCall): number {
  return call.nowMs;
}
