import type { Waiter } from "../protocol/waiter.js";
import type { Run } from "../protocol/pass-on-run.js";
import type { PreviousOwner, Vote } from "../protocol/operation.js";
import type { VoteReceiver } from "./ports.js";

/**
 * A lock of this process that is released in the round that acquires it for the next waiter; receives every vote of
 * that round.
 */
export interface Predecessor extends VoteReceiver {
  readonly previous: PreviousOwner;
  /** Passing on has succeeded up to this vote. */
  readonly run: Run;
  /** Passing on failed: every node that has not answered is sent the release. */
  letGo(): void;
}

/**
 * How an attempt relates to other clients that want the name.
 *
 * - `newcomer`: is in no node's queue
 * - `joiner`: is granted only where its owner already holds the lock, and leaves free keys alone
 * - `waiter`: enters the nodes' queues unless it is granted
 * - `passOn`: gets the lock that this process is releasing
 * - `adoption`: gets a lock that its holder in another process gave up for it; is in no queue
 * - `preempt`: takes the name, whoever holds it
 */
export type AcquireMode =
  | { readonly as: "joiner" | "preempt" }
  /** @param ownerId if it must not be one of its own: the lock is one of several under one value */
  | { readonly as: "newcomer"; readonly ownerId?: string | undefined }
  | { readonly as: "waiter"; readonly waiter: Waiter }
  | { readonly as: "passOn"; readonly waiter: Waiter; readonly from: Predecessor }
  | { readonly as: "adoption"; readonly previousId: string };

export const NEWCOMER: AcquireMode = { as: "newcomer" };
export const JOINER: AcquireMode = { as: "joiner" };
export const PREEMPT: AcquireMode = { as: "preempt" };

const NOT_THERE: Vote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };

/** The ownerId that an attempt is given. */
export function ownerOf(mode: AcquireMode): string | undefined {
  return mode.as === "newcomer" ? mode.ownerId : undefined;
}

/** The owner whose key is replaced by ours in the step that acquires it. */
export function previousOwnerOf(mode: AcquireMode): PreviousOwner | undefined {
  if (mode.as === "passOn") return mode.from.previous;
  return mode.as === "adoption" ? { ownerId: mode.previousId, token: undefined } : undefined;
}

/** The receiver of an acquire round's votes; it passes on to the round those that count. */
export function receiverFor(mode: AcquireMode, round: VoteReceiver): VoteReceiver {
  if (mode.as === "passOn") {
    return {
      onVote: (index, vote) => {
        // First, so that nodes that still hold the old key are sent the release before anything else.
        mode.from.onVote(index, vote);
        round.onVote(index, vote);
      },
    };
  }
  if (mode.as !== "adoption") return round;
  return {
    onVote: (index, vote) => {
      // Only a node that still had the previous owner's key proves that no other client held it in between.
      const isUnproven = vote.kind === "granted" && vote.isHandedOver !== true;
      round.onVote(index, isUnproven ? NOT_THERE : vote);
    },
  };
}
