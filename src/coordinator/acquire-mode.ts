import type { Waiter } from "../protocol/node-queue.js";
import type { Vote } from "../protocol/operation.js";
import type { VoteReceiver } from "./ports.js";

/**
 * How an attempt relates to other clients that want the name.
 *
 * - `newcomer`: is in no node's queue
 * - `joiner`: is granted only where its owner already holds the lock, and leaves free keys alone
 * - `waiter`: enters the nodes' queues unless it is granted
 * - `adoption`: gets a lock that its holder in another process gave up for it; is in no queue
 * - `preempt`: takes the name, whoever holds it
 */
export type AcquireMode =
  | As<"joiner" | "preempt">
  | As<"newcomer", never, "ownerId">
  | As<"waiter", "waiter">
  | As<"adoption", "previousId", "minHoldMs">;

/** What some modes have, and others not. */
interface Details {
  /** If it must not be one of its own: the lock is one of several under one value. */
  readonly ownerId: string;
  /** Its place in the nodes' queues. */
  readonly waiter: Waiter;
  /** The owner whose key is replaced by ours in the step that acquires it. */
  readonly previousId: string;
  /** For how long that owner's name must stay closed from now on, ms, also if the attempt fails. */
  readonly minHoldMs: number;
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

/** Of the votes of a round in which a previous owner's key is replaced, those that count. */
export function afterPrevious(round: VoteReceiver): VoteReceiver {
  return {
    onVote: (index, vote) => {
      // Only a node that still had the previous owner's key proves that no other client held it in between.
      const isUnproven = vote.kind === "granted" && vote.isHandedOver !== true;
      round.onVote(index, isUnproven ? NOT_THERE : vote);
    },
  };
}
