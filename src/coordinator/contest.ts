import { isAnswer, lastAskMs, MIN_ASK_MS, splitPauseMs } from "../protocol/split.js";
import type { Votes } from "../protocol/operation.js";
import type { Entropy } from "./ports.js";

/**
 * What one acquire knows of those that contend with it for a name that nobody holds, over its attempts: see
 * `protocol/split`. It begins when an attempt sees a node that does not grant it, and lasts from the send of that to
 * `nodeTimeoutMs` later, or until an attempt is told that somebody holds the name.
 */
export class Contest {
  /** Lease clock, ms; until then it asks again. */
  readonly untilMs: number;
  readonly #entropy: Pick<Entropy, "unit">;
  #sentMs: number;
  #splitCount = 0;
  #roundTripMs: number | undefined;
  #isLastAsk = false;
  /** Bit mask of the nodes that left a round unanswered: nobody waits for them before they answer. */
  #silent = 0;

  /** @param sentMs lease clock: when all nodes were asked */
  constructor(entropy: Pick<Entropy, "unit">, sentMs: number, nodeTimeoutMs: number) {
    this.#entropy = entropy;
    this.#sentMs = sentMs;
    this.untilMs = sentMs + nodeTimeoutMs;
  }

  /** Nodes are asked again: all of them, or those that refused. */
  onAsk(nowMs: number): void {
    this.#sentMs = nowMs;
  }

  /** How long the nodes have been taking, ms. */
  tookMs(nowMs: number): number {
    return nowMs - this.#sentMs;
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
    this.#splitCount++;
    const isWhole = votes.every((vote) => vote !== undefined);
    if (isWhole) this.#roundTripMs = this.tookMs(nowMs);
    else this.#roundTripMs ??= tookMs ?? this.tookMs(nowMs);
    for (let index = 0; index < votes.length; index++) {
      if (votes[index] === undefined) this.#silent |= 1 << index;
    }
  }

  /** When those that refused are asked again. */
  againAtMs(nowMs: number): number {
    return this.#splitCount === 1 ? nowMs : Math.max(nowMs, this.#sentMs + MIN_ASK_MS);
  }

  /** After which pause all are asked anew, ms; undefined if there is no time left for it. */
  pauseMs(nowMs: number, hadVote: boolean): number | undefined {
    if (this.#isLastAsk || nowMs >= this.untilMs) return undefined;
    const [splitCount, roundTripMs] = [this.#splitCount, this.#roundTripMs ?? 0];
    const unit = this.#entropy.unit();
    const pauseMs = splitPauseMs({ roundTripMs, splitCount, hadVote, unit });
    const lastMs = lastAskMs(this.untilMs, roundTripMs);
    if (nowMs + pauseMs <= lastMs) return pauseMs;
    this.#isLastAsk = true;
    return Math.max(0, lastMs - nowMs);
  }
}
