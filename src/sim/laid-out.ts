import type { Layout, LayoutKind } from "../protocol/layout.js";
import type { Operation, RefusedVote, Vote } from "../protocol/operation.js";
import { sharedLayout } from "./layouts/shared.js";
import { giveTurn, leaveQueue, queueUp } from "./node-queue.js";
import {
  FREE,
  liftFence,
  FORGOT,
  NO_FENCE_LEFT,
  refuse,
  sealFence,
  storeNextFence,
  type ScriptCall,
} from "./node-steps.js";

/** What a layout can do on a node: the same steps as its part of the script on a real one. */
export interface LaidOut {
  isOurs(): boolean;
  /** Takes it, or re-times it where it is ours; or why that can't be. */
  take(isAcquire: boolean): RefusedVote | undefined;
  /** After an acquire was granted. */
  taken?(): void;
  /** Never shortens. */
  retime(): void;
  drop(): void;
}

const LAYOUTS: Readonly<
  Record<LayoutKind, (call: ScriptCall, operation: Operation, layout: Layout) => LaidOut>
> = {
  shared: sharedLayout,
};

/** One operation on a lock that is not the plain mutex. */
export function runLaidOut(call: ScriptCall, operation: Operation, layout: Layout): Vote {
  const { kind, keys, fence, waiter } = operation;
  const lock = LAYOUTS[layout.kind](call, operation, layout);
  const isOurs = lock.isOurs();
  switch (kind) {
    case "acquire": {
      if (!call.isKnown) return FORGOT;
      const refusal = lock.take(true);
      if (refusal !== undefined) {
        if (waiter !== undefined) queueUp(call, keys, waiter);
        return refusal;
      }
      const stored = storeNextFence(call, operation);
      if (stored === undefined) {
        if (!isOurs) lock.drop();
        return NO_FENCE_LEFT;
      }
      if (waiter !== undefined) leaveQueue(call, keys, waiter);
      lock.taken?.();
      return { kind: "granted", fence: stored };
    }
    case "seal":
      return isOurs ? sealFence(call, keys.fenceKey, fence ?? 0) : refuseBy(call, operation);
    case "extend":
      if (!isOurs) return refuseBy(call, operation);
      lock.retime();
      return { kind: "granted", fence: 0 };
    case "heal":
      liftFence(call, keys.fenceKey, fence);
      return (isOurs ? undefined : lock.take(false)) ?? { kind: "granted", fence: 0 };
    case "release":
    case "leave": {
      if (isOurs) lock.drop();
      liftFence(call, keys.fenceKey, fence);
      if (waiter !== undefined) queueUp(call, keys, waiter);
      if (call.keys.get(keys.lockKey, call.nowMs) === undefined) giveTurn(call, keys);
      return isOurs ? { kind: "granted", fence: 0 } : refuseBy(call, operation);
    }
  }
}

function refuseBy(call: ScriptCall, { keys }: Operation): RefusedVote {
  const holder = call.keys.get(keys.lockKey, call.nowMs);
  return holder === undefined ? FREE : refuse(call, holder);
}
