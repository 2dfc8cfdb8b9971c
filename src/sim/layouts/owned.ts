import type { Layout } from "../../protocol/layout.js";
import type { Operation, RefusedVote } from "../../protocol/operation.js";
import { isAgain, OWN_FIELDS, OWNER_PREFIX } from "../../protocol/owned.js";
import { fieldsIn, isHash, storeFields } from "../hash.js";
import type { LaidOut } from "../laid-out.js";
import { turnText } from "../node-queue.js";
import {
  fenceOf,
  foreign,
  foreignAt,
  FREE,
  get,
  refuse,
  remainingMs,
  type ScriptCall,
} from "../node-steps.js";

export const HOLD_FIELD = `${OWN_FIELDS}hold:`;
const FENCE_FIELD = `${OWN_FIELDS}fence`;
const DRAWN_FIELD = `${OWN_FIELDS}drawn`;

/** Holds of one owner, each with an expiry of its own; in a hash beside the lock key, or in its place. */
export function ownedLayout(
  call: ScriptCall,
  { keys: nameKeys, ownerId, ttlMs, waiter }: Operation,
  { keys: [holdsKey], args: [named = ""] }: Layout,
): LaidOut {
  const { keys, nowMs } = call;
  const { lockKey, fenceKey } = nameKeys;
  const isRedisson = holdsKey === undefined;
  const owner = named === "" ? ownerId : named;
  const holds = holdsKey ?? lockKey;
  const hold = HOLD_FIELD + ownerId;
  const mark = isRedisson ? "@" : "";
  const marker = OWNER_PREFIX + owner;
  let isFirst = false;
  const lockText = (): string | undefined => get(call, lockKey)?.text;
  const fields = (): Map<string, string> => fieldsIn(get(call, holds)?.text);

  const isIn = (): boolean => (isRedisson ? fields().has(owner) : lockText() === marker);

  const endsAt = (): number | undefined => {
    const ends = isIn() ? fields().get(hold) : undefined;
    return ends !== undefined && numberIn(ends) >= nowMs ? numberIn(ends) : undefined;
  };

  /** Nothing is left behind the last. */
  const settle = (ends: number | undefined): void => {
    const before = fields();
    const after = new Map(before);
    const known = [...before].filter(([field]) => field !== owner && field.startsWith(HOLD_FIELD));
    if (ends !== undefined) after.set(hold, mark + String(ends));
    const alive = ends === undefined ? [] : [ends];
    for (const [field, at] of known) {
      if (field === hold) {
        if (ends === undefined) after.delete(field);
      } else if (numberIn(at) >= nowMs) alive.push(numberIn(at));
      else after.delete(field);
    }
    const counted = Number(before.get(owner) ?? 0);
    const otherCount = isRedisson ? Math.max(0, counted - known.length) : 0;
    if (alive.length + otherCount === 0) {
      keys.delete(lockKey, nowMs);
      if (holdsKey !== undefined) keys.delete(holdsKey, nowMs);
      return;
    }
    after.set(owner, String(alive.length + otherCount));
    let leftMs = Math.max(1, ...alive.map((at) => at - nowMs));
    if (isRedisson && otherCount > 0) {
      const standing = get(call, lockKey);
      leftMs = Math.max(standing === undefined ? 0 : remainingMs(call, standing), leftMs);
    }
    if (!isRedisson) keys.set(lockKey, marker, nowMs, leftMs);
    storeFields(call, holds, after, leftMs);
  };

  /** @param drawn what was counted before, and whose hold drew the fence; undefined once it is given */
  const keepFence = (fence: number, drawn: string | undefined): void => {
    const standing = get(call, holds);
    if (standing === undefined) return;
    const after = fields().set(FENCE_FIELD, mark + String(fence));
    if (drawn === undefined) after.delete(DRAWN_FIELD);
    else after.set(DRAWN_FIELD, drawn);
    storeFields(call, holds, after, remainingMs(call, standing));
  };

  /** Nobody but our hold was given the fence, and no other owner had counted beyond the token. */
  const isDrawnFor = (token: number, fence: number): boolean => {
    const [before, drawer] = (fields().get(DRAWN_FIELD) ?? "").split(/:(.*)/s);
    return drawer === ownerId && Number(before) <= token && token < fence;
  };

  const heldBy = (): RefusedVote => {
    const holder = get(call, lockKey);
    if (holder === undefined) return FREE;
    if (!isRedisson) return refuse(call, holder);
    if (!isHash(holder.text)) return foreignAt(call, lockKey);
    const leftMs = remainingMs(call, holder);
    if (leftMs === Number.POSITIVE_INFINITY) return foreign("hash without expiry");
    const standing = fieldsIn(holder.text);
    const counts = [...standing].filter(([field]) => !field.startsWith(OWN_FIELDS));
    if (counts.some(([, value]) => Number.isNaN(Number(value)))) return foreign("hash");
    const [found = ""] = [...standing.keys()].filter((field) => !field.startsWith(OWN_FIELDS));
    const isNameless = standing.has(HOLD_FIELD + found);
    const label = isNameless ? found.slice(23) : found;
    return {
      kind: "refused",
      reason: "held",
      remainingMs: leftMs,
      label: label === "" ? undefined : label,
    };
  };

  return {
    isOurs: () => endsAt() !== undefined,
    retime: () => settle(Math.max(endsAt() ?? 0, nowMs + ttlMs)),
    take(isAcquire): RefusedVote | undefined {
      if (!isIn()) {
        const isTurn = !isRedisson && waiter !== undefined && lockText() === turnText(waiter.inbox);
        const refusal = isTurn ? FREE : heldBy();
        if (refusal !== FREE || (isAcquire && isAgain(nameKeys))) return refusal;
        isFirst = true;
        // Of another time.
        if (holdsKey !== undefined) keys.delete(holdsKey, nowMs);
      }
      settle(Math.max(endsAt() ?? 0, nowMs + ttlMs));
      return undefined;
    },
    isInVain: () => heldBy().reason === "foreign",
    heldBy,
    sameFence(draw): number | undefined {
      const kept = isFirst ? undefined : fields().get(FENCE_FIELD);
      if (kept !== undefined) {
        keepFence(numberIn(kept), undefined);
        return numberIn(kept);
      }
      const before = Math.max(0, fenceOf(get(call, fenceKey)));
      const fence = draw();
      if (fence !== undefined) keepFence(fence, `${before}:${ownerId}`);
      return fence;
    },
    /** Another hold of the owner has brought the token here. */
    isSealed: (token) => fields().get(FENCE_FIELD) === mark + String(token),
    lifted(token): void {
      const fence = fenceOf(get(call, fenceKey));
      if (!isIn() || (fence !== token && !isDrawnFor(token, fence))) return;
      settle(endsAt());
      if (isIn()) keepFence(token, undefined);
    },
    drop: () => settle(undefined),
    dropRest(): void {
      if (isIn()) settle(undefined);
    },
    keepsNoTurn: isRedisson,
  };
}

/** Of a field of ours: in the layout of Redisson a mark stands in front, so that it is no number there. */
export function numberIn(value: string): number {
  return Number(value.replace(/^@/, ""));
}
