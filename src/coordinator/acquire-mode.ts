import type { Waiter } from "../protocol/waiter.js";
import type { Run } from "../protocol/hand-over-run.js";
import type { PreviousOwner, Vote } from "../protocol/operation.js";
import type { VoteReceiver } from "./ports.js";

/** A lock of this process that is released in the round that acquires it for the next one; told each vote of that. */
export interface Predecessor extends VoteReceiver {
  readonly previous: PreviousOwner;
  /** That the lock has gone through until now. */
  readonly run: Run;
  /** The next one does not get it either: whoever has not answered gets the release. */
  letGo(): void;
}

/**
 * How an attempt stands to others who want the name.
 *
 * - `newcomer`: stands in no queue of the nodes
 * - `joiner`: gets in only where its owner is in already, and leaves alone what is free
 * - `waiter`: in the nodes' queues from here on, unless it is granted
 * - `handOver`: gets the lock that this process releases just now
 * - `takeOver`: gets the lock that its holder, elsewhere, has given up for it; stands in no queue
 * - `preempt`: takes the name from whoever holds it
 */
export type AcquireMode =
  | { readonly as: "newcomer" | "joiner" | "preempt" }
  | { readonly as: "waiter"; readonly waiter: Waiter }
  | { readonly as: "handOver"; readonly waiter: Waiter; readonly from: Predecessor }
  | { readonly as: "takeOver"; readonly previousId: string };

export const NEWCOMER: AcquireMode = { as: "newcomer" };

const NOT_THERE: Vote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };

/** Whose key gives way to ours in the step that acquires it. */
export function previousOwnerOf(mode: AcquireMode): PreviousOwner | undefined {
  if (mode.as === "handOver") return mode.from.previous;
  return mode.as === "takeOver" ? { ownerId: mode.previousId, token: undefined } : undefined;
}

/** Who is told the votes of an acquire round, and hands on to it what counts. */
export function receiverFor(mode: AcquireMode, round: VoteReceiver): VoteReceiver {
  if (mode.as === "handOver") {
    return {
      onVote: (index, vote) => {
        // First, so that what the node has not let go is released before anything else is sent.
        mode.from.onVote(index, vote);
        round.onVote(index, vote);
      },
    };
  }
  if (mode.as !== "takeOver") return round;
  return {
    onVote: (index, vote) => {
      // Only a node where the key was still the other's proves that nobody came between.
      const isUnproven = vote.kind === "granted" && vote.isHandedOver !== true;
      round.onVote(index, isUnproven ? NOT_THERE : vote);
    },
  };
}
