import { MAX_FENCE, nextFence } from "../protocol/fencing.js";
import type { NameKeys } from "../protocol/keys.js";
import { membersOfSet } from "../protocol/layout.js";
import { OWN_FIELDS } from "../protocol/owned.js";
import { TIMESTAMP_MARGIN_MS, timestampLayoutOf, unitMs } from "../protocol/timestamps.js";
import { faultVote, type Operation, type RefusedVote, type Vote } from "../protocol/operation.js";
import { fieldsIn, isHash } from "./hash.js";
import type { KeyStore, StoredKey } from "./key-store.js";

/** What one script call works with. Its time is frozen. */
export interface ScriptCall {
  readonly keys: KeyStore;
  readonly nowUs: number;
  readonly fenceSlackUs: number;
  readonly fenceRetentionMs: number;
  /** False if the node's record is not the sender's. */
  readonly isKnown: boolean;
  /** The sender says which record it knows. */
  readonly isCompared: boolean;
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
  if (proposal === undefined) return 0;
  const last = lastFence(call, operation.keys);
  const fence = nextFence(last, proposal, call.nowUs, call.fenceSlackUs);
  storeFence(call, operation.keys, fence > MAX_FENCE ? last : fence);
  return fence > MAX_FENCE ? undefined : fence;
}

/** The token where the fence is below it. */
export function sealFence(call: ScriptCall, keys: NameKeys, token: number): Vote {
  if (lastFence(call, keys) >= token) {
    return { kind: "refused", reason: "held", remainingMs: 0, label: undefined };
  }
  storeFence(call, keys, token);
  return { kind: "granted", fence: token };
}

/** Somebody's data, or a lock of another layout. */
export function foreign(label: string): RefusedVote {
  return { kind: "refused", reason: "foreign", remainingMs: 0, label };
}

/** What stands there: a lock in another layout, or somebody's data. */
export function foreignAt(call: ScriptCall, key: string): RefusedVote {
  const holder = get(call, key);
  return foreign(holder === undefined ? "none" : foundIn(holder));
}

function foundIn({ text, expiresAtMs }: StoredKey): string {
  const hasExpiry = expiresAtMs !== Number.POSITIVE_INFINITY;
  if (isHash(text)) return hasExpiry && isRedisson(text) ? "redisson" : "hash";
  return timestampLayoutOf(text) ?? (hasExpiry ? "redlock" : "string without expiry");
}

function isRedisson(text: string): boolean {
  return [...fieldsIn(text).keys()].some((field) => {
    return field.startsWith(OWN_FIELDS) || /^[\da-f]+(-[\da-f]+){4}:\d+$/i.test(field);
  });
}

/** Ours has an expiry, and says so much more than that. */
function isOurTimestamp(call: ScriptCall, text: string, leftMs: number): boolean {
  const layout = timestampLayoutOf(text);
  if (layout === undefined) return false;
  const unit = unitMs(layout);
  const moreMs = Number(text) * unit - call.nowMs - leftMs - TIMESTAMP_MARGIN_MS;
  const inexactMs = TIMESTAMP_MARGIN_MS / 2;
  return moreMs >= -inexactMs && moreMs <= inexactMs + (unit === 1 ? 0 : unit);
}

export function refuse(call: ScriptCall, holder: StoredKey): RefusedVote {
  const leftMs = remainingMs(call, holder);
  const isForeign = isHash(holder.text) || leftMs === Number.POSITIVE_INFINITY;
  if (isForeign || isOurTimestamp(call, holder.text, leftMs)) return foreign(foundIn(holder));
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

/** Where it is lower: what stands in the others of a set is not lowered. */
export function liftFence(call: ScriptCall, keys: NameKeys, token: number | undefined): void {
  if (token === undefined) return;
  for (const { fenceKey } of membersOfSet(keys)) {
    if (fenceOf(get(call, fenceKey)) < token) {
      writeFence(call, fenceKey, token);
    }
  }
}

/** The highest, of several. */
function lastFence(call: ScriptCall, keys: NameKeys): number {
  return Math.max(...membersOfSet(keys).map(({ fenceKey }) => fenceOf(get(call, fenceKey))));
}

export function storeFence(call: ScriptCall, keys: NameKeys, fence: number): void {
  for (const { fenceKey } of membersOfSet(keys)) {
    writeFence(call, fenceKey, fence);
  }
}

function writeFence(call: ScriptCall, fenceKey: string, fence: number): void {
  set(call, fenceKey, String(fence), call.fenceRetentionMs);
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
