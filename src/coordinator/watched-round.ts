import type { LockKind } from "../protocol/lock-kind.js";
import type { OperationKind, Vote } from "../protocol/operation.js";

/** One node's vote, as it counts. */
export interface WatchedVote {
  /** Undefined if there was none by the deadline. */
  readonly vote: Vote | undefined;
  /** Time from the send of the round to the vote; to the deadline if there was none. */
  readonly ms: number;
}

/** A round that has ended, including votes after its verdict. */
export interface WatchedRound {
  readonly kind: OperationKind;
  readonly keys: LockKind;
  readonly verdict: "won" | "lost" | "abandoned";
  /** Until the verdict. */
  readonly durationMs: number;
  /** By node index; undefined for a node that was not asked. */
  readonly votes: readonly (WatchedVote | undefined)[];
}
