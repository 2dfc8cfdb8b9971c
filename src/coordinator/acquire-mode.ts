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
  | As<"joiner" | "preempt">
  | As<"newcomer", never, "ownerId">
  | As<"waiter", "waiter">
  | As<"passOn", "waiter" | "from" | "previous">
  | As<"adoption", "previous">;

/** What some modes have, and others not. */
interface Details {
  /** If it must not be one of its own: the lock is one of several under one value. */
  readonly ownerId: string;
  /** Its place in the nodes' queues. */
  readonly waiter: Waiter;
  readonly from: Predecessor;
  /** The owner whose key is replaced by ours in the step that acquires it. */
  readonly previous: PreviousOwner;
}

type As<
  Mode extends string,
  Must extends keyof Details = never,
  May extends keyof Details = never,
> = { readonly as: Mode } & Pick<Details, Must> &
  Partial<Pick<Details, May>> & {
    readonly [Name in Exclude<keyof Details, Must | May>]?: undefined;
  };

export const NEWCOMER: AcquireMode = { as: "newcomer" };
export const JOINER: AcquireMode = { as: "joiner" };
export const PREEMPT: AcquireMode = { as: "preempt" };

const NOT_THERE: Vote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };

/**
 * The receiver of the votes of a round in which a previous owner's key is replaced; it passes on to the round those
 * that count.
 */
export function receiverOf({ from }: AcquireMode, round: VoteReceiver): VoteReceiver {
  if (from !== undefined) {
    return {
      onVote: (index, vote) => {
        // First, so that nodes that still hold the old key are sent the release before anything else.
        from.onVote(index, vote);
        round.onVote(index, vote);
      },
    };
  }
  return {
    onVote: (index, vote) => {
      // Only a node that still had the previous owner's key proves that no other client held it in between.
      const isUnproven = vote.kind === "granted" && vote.isHandedOver !== true;
      round.onVote(index, isUnproven ? NOT_THERE : vote);
    },
  };
}
