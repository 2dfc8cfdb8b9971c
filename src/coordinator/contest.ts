import { isAnswer, type ContestState } from "../protocol/split.js";
import type { Votes } from "../protocol/operation.js";

/**
 * What one acquire knows of those that contend with it for a name that nobody holds, over its attempts: see
 * `protocol/split`. It begins when an attempt sees a node that does not grant it, and lasts from the send of that to
 * `nodeTimeoutMs` later, or until an attempt is told that somebody holds the name.
 */
export class Contest implements ContestState {
  readonly untilMs: number;
  sentMs: number;
  splitCount = 0;
  roundTripMs = 0;
  isLastAsk = false;
  /** Bit mask of the nodes that left a round unanswered: nobody waits for them before they answer. */
  #silent = 0;

  /** @param sentMs lease clock: when all nodes were asked */
  constructor(sentMs: number, nodeTimeoutMs: number) {
    this.sentMs = sentMs;
    this.untilMs = sentMs + nodeTimeoutMs;
  }

  /** Nodes are asked again: all of them, or those that refused. */
  onAsk(nowMs: number): void {
    this.sentMs = nowMs;
  }

  /** How long the nodes have been taking, ms. */
  tookMs(nowMs: number): number {
    return nowMs - this.sentMs;
  }

  /** Whether a node is silent that is worth waiting for. */
  isWaiting(votes: Votes): boolean {
    let isWaiting = false;
    for (let index = 0; index < votes.length; index++) {
      if (isAnswer(votes[index])) this.#silent &= ~(1 << index);
      else if (votes[index] === undefined && !(this.#silent & (1 << index))) isWaiting = true;
    }
    return isWaiting;
  }

  /** The nodes are split. @param tookMs until a quorum had answered, if others are silent */
  onSplit(votes: Votes, nowMs: number, tookMs: number | undefined): void {
    const isWhole = votes.every((vote) => vote !== undefined);
    if (isWhole) this.roundTripMs = this.tookMs(nowMs);
    else if (this.splitCount === 0) this.roundTripMs = tookMs ?? this.tookMs(nowMs);
    this.splitCount++;
    for (let index = 0; index < votes.length; index++) {
      if (votes[index] === undefined) this.#silent |= 1 << index;
    }
  }
}
