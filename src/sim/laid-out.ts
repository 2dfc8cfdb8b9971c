import type { Layout, LayoutKind } from "../protocol/layout.js";
import type { Operation, RefusedVote, Vote } from "../protocol/operation.js";
import { ownedLayout } from "./layouts/owned.js";
import { severalLayout } from "./layouts/several.js";
import { sharedLayout } from "./layouts/shared.js";
import { timestampLayout } from "./layouts/timestamp.js";
import { slotLayout } from "./layouts/slot.js";
import { stolenLayout } from "./layouts/stolen.js";
import { giveTurn, leaveQueue, queueUp } from "./node-queue.js";
import {
  FREE,
  get,
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
  /** What the lock key holds, or that it is free; by default of a string. */
  heldBy?(): RefusedVote;
  /** After a release let go of it, and has queued up who comes next. */
  passOn?(): void;
  /** What a leave does instead of the plain one. */
  leave?(): void;
  /** What stands in its way, if anything does; by default what the lock key holds. */
  blocker?(): RefusedVote;
  /** The fence of a grant; by default the next one. Undefined where the counter is used up. */
  sameFence?(draw: () => number | undefined): number | undefined;
  /** Whether the node has that token for ours, though its fence is not below it. */
  isSealed?(token: number): boolean;
  /** After the fence was sealed or lifted with its token. */
  lifted?(token: number): void;
  /** Whoever is next is told, and the name not kept for it. */
  readonly keepsNoTurn?: boolean;
  /** After {@link take} was refused: whether it is in vain to wait in this queue. */
  isInVain?(): boolean;
}

const LAYOUTS: Readonly<
  Record<LayoutKind, (call: ScriptCall, operation: Operation, layout: Layout) => LaidOut>
> = {
  shared: sharedLayout,
  several: severalLayout,
  owned: ownedLayout,
  timestamp: timestampLayout,
  slot: slotLayout,
  stolen: stolenLayout,
};

/** One operation on a lock that is not the plain mutex. */
export function runLaidOut(call: ScriptCall, operation: Operation, layout: Layout): Vote {
  const { kind, keys, fence, waiter } = operation;
  const lock = LAYOUTS[layout.kind](call, operation, layout);
  const isOurs = lock.isOurs();
  const heldBy = (): RefusedVote => lock.heldBy?.() ?? refuseBy(call, operation);
  switch (kind) {
    case "acquire": {
      if (!call.isKnown) return FORGOT;
      const refusal = lock.take(true);
      if (refusal !== undefined) {
        if (waiter !== undefined && lock.isInVain?.() !== true) queueUp(call, keys, waiter);
        return refusal;
      }
      const draw = (): number | undefined => storeNextFence(call, operation);
      const stored = fence === undefined ? 0 : (lock.sameFence?.(draw) ?? draw());
      if (stored === undefined) {
        if (!isOurs) lock.drop();
        return NO_FENCE_LEFT;
      }
      if (waiter !== undefined) leaveQueue(call, keys, waiter);
      lock.taken?.();
      return { kind: "granted", fence: stored };
    }
    case "seal": {
      if (!isOurs) return lock.blocker?.() ?? heldBy();
      const token = fence ?? 0;
      const vote = sealFence(call, keys, token);
      if (vote.kind === "granted") lock.lifted?.(token);
      else if (lock.isSealed?.(token) === true) return { kind: "granted", fence: token };
      return vote;
    }
    case "extend":
      if (!isOurs) return lock.blocker?.() ?? heldBy();
      lock.retime();
      return { kind: "granted", fence: 0 };
    case "heal": {
      liftFence(call, keys, fence);
      const refusal = isOurs ? undefined : lock.take(false);
      if (refusal === undefined && fence !== undefined) lock.lifted?.(fence);
      return refusal ?? { kind: "granted", fence: 0 };
    }
    case "leave":
      lock.leave?.();
      return { kind: "granted", fence: 0 };
    case "refresh":
    case "inspect":
    case "revoke":
    case "release": {
      if (isOurs) lock.drop();
      else lock.dropRest?.();
      liftFence(call, keys, fence);
      if (fence !== undefined) lock.lifted?.(fence);
      if (waiter !== undefined) queueUp(call, keys, waiter);
      if (isOurs) lock.passOn?.();
      const found = heldBy();
      // Else a process could wake itself at the speed of the network.
      const mayTell = isOurs || lock.keepsNoTurn !== true;
      if (mayTell && get(call, keys.lockKey) === undefined) giveTurn(call, keys, lock.keepsNoTurn);
      return isOurs ? { kind: "granted", fence: 0 } : found;
    }
  }
}

function refuseBy(call: ScriptCall, { keys }: Operation): RefusedVote {
  const holder = call.keys.get(keys.lockKey, call.nowMs);
  return holder === undefined ? FREE : refuse(call, holder);
}
