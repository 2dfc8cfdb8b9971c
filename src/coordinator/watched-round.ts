import type { Operation, Votes } from "../protocol/operation.js";
import type { Verdict } from "../protocol/quorum.js";

/** A round, as those see it who hear of it. */
export interface WatchedRound {
  /** A round that ends `pending` was abandoned. */
  readonly verdict: Verdict;
  /** By node index; undefined while it is silent, and if it was not asked. */
  readonly votes: Votes;
  /** Bit mask of the nodes that were asked. */
  readonly asked: number;
  /** How long a node has to answer, ms. */
  readonly timeoutMs: number;
}

/** Hears of a round to its end, votes after its verdict included; changes nothing. */
export interface RoundWatcher {
  /** A node has answered, and what follows from that has happened. */
  onAnswer?(index: number, round: WatchedRound): void;
  /** Called once, when all nodes that were asked have answered, or their deadline has passed. */
  onEnd(round: WatchedRound): void;
}

export interface RoundObserver {
  /**
   * A round is about to be sent.
   *
   * @returns who wants to hear of it, if anybody
   */
  onRound?(operation: Operation): RoundWatcher | undefined;
}
