import type { Layout, LayoutKind } from "../protocol/layout.js";
import type { Operation, RefusedVote, Vote } from "../protocol/operation.js";
import { severalLayout } from "./layouts/several.js";
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
  /** What is left of it where it is not ours as a whole. */
  dropRest?(): void;
  /** What stands in its way, if anything does; by default what the lock key holds. */
  blocker?(): RefusedVote;
  /** After {@link take} was refused: whether it is in vain to wait in this queue. */
  isInVain?(): boolean;
}

const LAYOUTS: Readonly<
  Record<LayoutKind, (call: ScriptCall, operation: Operation, layout: Layout) => LaidOut>
> = {
  shared: sharedLayout,
  several: severalLayout,
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
        if (waiter !== undefined && lock.isInVain?.() !== true) queueUp(call, keys, waiter);
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
      return isOurs
        ? sealFence(call, keys, fence ?? 0)
        : (lock.blocker?.() ?? refuseBy(call, operation));
    case "extend":
      if (!isOurs) return lock.blocker?.() ?? refuseBy(call, operation);
      lock.retime();
      return { kind: "granted", fence: 0 };
    case "heal":
      liftFence(call, keys, fence);
      return (isOurs ? undefined : lock.take(false)) ?? { kind: "granted", fence: 0 };
    case "inspect":
    case "revoke":
    case "release":
    case "leave": {
      if (isOurs) lock.drop();
      else lock.dropRest?.();
      liftFence(call, keys, fence);
      if (waiter !== undefined) queueUp(call, keys, waiter);
      const found = refuseBy(call, operation);
      if (found === FREE) giveTurn(call, keys);
      return isOurs ? { kind: "granted", fence: 0 } : found;
    }
  }
}

function refuseBy(call: ScriptCall, { keys }: Operation): RefusedVote {
  const holder = call.keys.get(keys.lockKey, call.nowMs);
  return holder === undefined ? FREE : refuse(call, holder);
}
