import type { NameKeys } from "../protocol/keys.js";
import type { Operation, Vote } from "../protocol/operation.js";
import { isRedisson } from "../protocol/owned.js";
import { isHash } from "./hash.js";
import { runLaidOut } from "./laid-out.js";
import { bringsBack, ENDED, inspect, refresh, revoke } from "./node-looks.js";
import {
  giveTurn,
  isWaitedFor,
  leaveQueue,
  leaveQueueWholly,
  queueUp,
  tellFirst,
  tellReaders,
  turnText,
} from "./node-queue.js";
import {
  foreignAt,
  FORGOT,
  FREE,
  get,
  liftFence,
  NO_FENCE_LEFT,
  nowMs,
  refuse,
  remainingMs,
  sealFence,
  set,
  SHARED,
  storeNextFence,
  type ScriptCall,
} from "./node-steps.js";

/** One operation on a node: the same steps, in the same order, as the script on a real one. */
export function runOperation(call: ScriptCall, operation: Operation): Vote {
  const { keys, kind } = operation;
  const { layout } = keys;
  if (kind === "refresh") return refresh(call, operation);
  if (bringsBack(call, operation)) return ENDED;
  if (kind === "inspect") return inspect(call, operation);
  if (kind === "revoke") return revoke(call, operation);
  if (kind !== "leave" && isOddType(call, keys)) {
    return kind === "acquire" && !call.isKnown ? FORGOT : foreignAt(call, operation.keys.lockKey);
  }
  // Readers, sets and owners leave as others do.
  if (layout !== undefined && (kind !== "leave" || layout.kind === "slot")) {
    return runLaidOut(call, operation, layout);
  }
  switch (kind) {
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

/** A string is expected, and a hash is there. */
function isOddType(call: ScriptCall, keys: NameKeys): boolean {
  const isString = keys.layout === undefined || (keys.layout.kind === "owned" && !isRedisson(keys));
  const standing = isString ? get(call, keys.lockKey) : undefined;
  return standing !== undefined && isHash(standing.text);
}

function acquire(call: ScriptCall, operation: Operation): Vote {
  const { keys, ownerId, ttlMs, waiter, previous } = operation;
  if (!call.isKnown) return FORGOT;
  const holder = get(call, keys.lockKey);
  const isOurTurn = waiter !== undefined && holder?.text === turnText(waiter.inbox);
  const isOurs = holder?.text === ownerId;
  const isHandedOver = !isOurs && previous !== undefined && holder?.text === previous.ownerId;
  // As far as its token goes a hand-over is the release of the previous owner.
  liftFence(call, keys, previous?.token);
  if (holder !== undefined && !isOurs && !isOurTurn && !isHandedOver) {
    if (waiter !== undefined) queueUp(call, keys, waiter);
    return refuse(call, holder);
  }
  const leftMs = isOurs ? remainingMs(call, holder) : 0;
  const fence = storeNextFence(call, operation);
  if (fence === undefined) return NO_FENCE_LEFT;
  set(call, keys.lockKey, ownerId, Math.max(ttlMs, leftMs));
  if (waiter === undefined) return { kind: "granted", fence };
  leaveQueue(call, keys, waiter);
  return { kind: "granted", fence, isHandedOver, isWaitedFor: isWaitedFor(call, keys) };
}

function seal(call: ScriptCall, { keys, ownerId, fence: token = 0 }: Operation): Vote {
  const holder = get(call, keys.lockKey);
  if (holder === undefined) return FREE;
  if (holder.text !== ownerId) return refuse(call, holder);
  return sealFence(call, keys, token);
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
  liftFence(call, keys, token);
  if (holder === undefined) set(call, keys.lockKey, ownerId, ttlMs);
  else if (holder.text !== ownerId) return refuse(call, holder);
  return { kind: "granted", fence: 0 };
}

function release(call: ScriptCall, operation: Operation): Vote {
  if (operation.keepMs !== undefined) return keep(call, operation, operation.keepMs);
  const { keys, ownerId, fence: token, waiter } = operation;
  const holder = get(call, keys.lockKey);
  const isOurs = holder?.text === ownerId;
  if (isOurs) call.keys.delete(keys.lockKey, nowMs(call));
  liftFence(call, keys, token);
  if (waiter !== undefined) queueUp(call, keys, waiter);
  if (holder === undefined || isOurs) giveTurn(call, keys);
  if (holder === undefined) return FREE;
  return isOurs ? { kind: "granted", fence: 0 } : refuse(call, holder);
}

/** A release that keeps the name closed for a while. */
function keep(call: ScriptCall, { keys, ownerId, fence }: Operation, keepMs: number): Vote {
  const holder = get(call, keys.lockKey);
  const isOurs = holder?.text === ownerId;
  if (isOurs) {
    set(call, keys.lockKey, ownerId, Math.min(keepMs, remainingMs(call, holder)));
  }
  liftFence(call, keys, fence);
  tellFirst(call, keys);
  if (holder === undefined) return FREE;
  return isOurs ? { kind: "granted", fence: 0 } : refuse(call, holder);
}

function leave(call: ScriptCall, { keys, waiter }: Operation): Vote {
  if (waiter !== undefined) {
    leaveQueueWholly(call, keys, waiter);
    const holder = get(call, keys.lockKey);
    if (holder?.text === turnText(waiter.inbox)) {
      call.keys.delete(keys.lockKey, nowMs(call));
      giveTurn(call, keys);
    } else if (holder?.text === SHARED) {
      tellReaders(call, keys);
    }
  }
  return { kind: "granted", fence: 0 };
}
