import type { LockKind, Permits } from "../protocol/lock-kind.js";
import { freePermits } from "../protocol/permits.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { Context } from "./context.js";
import type { WaitQueue } from "./wait-queue.js";

/**
 * Chooses the permits of a semaphore that an acquire asks for. All nodes are asked for the same ones: each is a mutex, and
 * k mutexes on a quorum are k permits. The first are the smallest that this process does not hold. A refusal lists the
 * smallest that are free, and the next attempt immediately asks for those that most nodes report. Where others ask at
 * the same moment, they ask for the same: then it picks at random among them, so that contenders spread out.
 */
export class PermitPicker {
  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #permits: Permits;
  #free: readonly number[] = [];
  /** The last attempt asked for what nodes had reported. */
  #isTold = false;
  /** Others ask for the smallest, too. */
  #isContended = false;
  #asked: LockKind | undefined;

  constructor(context: Context, keys: LockKind, permits: Permits) {
    this.#context = context;
    this.#keys = keys;
    this.#permits = permits;
  }

  /** The keys of the next attempt. */
  next(waitQueue: WaitQueue | undefined, nowMs: number): LockKind {
    const { entropy, waitQueues } = this.#context;
    const { size, wanted } = this.#permits;
    const { count } = size.current;
    const free = this.#free;
    this.#free = [];
    this.#isTold = free.length > 0;
    const unit = this.#isContended ? entropy.unit() : 0;
    const numbers =
      waitQueue?.reservations?.take(nowMs, wanted) ??
      waitQueues.permits.pick(this.#keys, { count, wanted, free, unit });
    this.#asked = this.#permits.at(numbers);
    waitQueues.permits.add(this.#asked);
    return this.#asked;
  }

  /** The attempt failed. Whether nodes say that these or others are free; the next attempt picks among those. */
  onFailure({ kind, votes, isOutrun }: AttemptFailure): boolean {
    const asked = this.#asked?.permits?.numbers;
    this.letGo();
    if (kind === "exhausted" && !isOutrun) return false;
    // A quorum had granted them, but the fences moved on meanwhile; they are free again.
    const isFreeAgain = isOutrun && asked !== undefined;
    const { size, wanted } = this.#permits;
    const { count } = size.current;
    this.#free = isFreeAgain ? asked : freePermits(votes, { count, wanted });
    this.#isContended =
      !isOutrun && (this.#isTold || votes.some((vote) => vote?.kind === "granted"));
    return this.#free.length > 0;
  }

  /** The next attempt is made so late that they say nothing any more. */
  forget(): void {
    this.#free = [];
    this.#isContended = false;
  }

  /** The permits that it asked for were not granted. */
  letGo(): void {
    if (this.#asked !== undefined) this.#context.waitQueues.permits.delete(this.#asked);
    this.#asked = undefined;
  }
}
