import { backoffMs, turnWaitMs } from "../protocol/backoff.js";
import type { AttemptFailure } from "./attempt-failure.js";
import type { Context } from "./context.js";

export interface WaitSettings {
  /** How long to keep trying, ms; 0 for one attempt. */
  readonly waitMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Never ahead of earlier waiters of this process. */
  readonly fair: boolean;
}

/** How long an acquire pauses between its attempts, ms. */
export class Pauses {
  readonly #context: Context;
  readonly #wait: WaitSettings;

  constructor(context: Context, wait: WaitSettings) {
    this.#context = context;
    this.#wait = wait;
  }

  /** Immediately, but with jitter. */
  get soonMs(): number {
    return this.#context.entropy.unit() * this.#wait.minDelayMs;
  }

  /** Before the attempt that enters the nodes' queues. */
  queueUpMs({ votes, quorumFreeInMs, askAgainInMs }: AttemptFailure, attemptCount: number): number {
    if (!this.#isHeard) return askAgainInMs ?? this.backoffMs(attemptCount, quorumFreeInMs);
    return votes.some((vote) => vote?.kind === "granted") ? this.soonMs : 0;
  }

  /** Until the next attempt, unless it is notified first. */
  nextMs(failure: AttemptFailure | undefined, attemptCount: number): number {
    const quorumFreeInMs = failure?.quorumFreeInMs ?? Number.POSITIVE_INFINITY;
    if (!this.#isHeard)
      return failure?.askAgainInMs ?? this.backoffMs(attemptCount, quorumFreeInMs);
    const { minDelayMs, maxDelayMs } = this.#wait;
    const unit = this.#context.entropy.unit();
    return turnWaitMs({ minDelayMs, maxDelayMs, quorumFreeInMs, unit });
  }

  /** Where no notifications arrive. @param quorumFreeInMs Infinity if that is unknown */
  backoffMs(attemptCount: number, quorumFreeInMs = Number.POSITIVE_INFINITY): number {
    const { minDelayMs, maxDelayMs } = this.#wait;
    const unit = this.#context.entropy.unit();
    return backoffMs({ attemptCount, minDelayMs, maxDelayMs, quorumFreeInMs, unit });
  }

  /** Once a quorum can be free. */
  lookAgainMs(quorumFreeInMs: number): number {
    return quorumFreeInMs + this.soonMs;
  }

  get #isHeard(): boolean {
    return this.#context.waitQueues.inbox?.isHeard === true;
  }
}
