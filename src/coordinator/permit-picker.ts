import type { LockKind, Permits } from "../protocol/lock-kind.js";
import { freePermits } from "../protocol/permits.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { Context } from "./context.js";
import type { WaitQueue } from "./wait-queue.js";

/**
 * Chooses the permit of a semaphore that an acquire asks for. All nodes are asked for the same permit: it is a
 * mutex, and k mutexes on a quorum allow k holders. The first is random among those that this process does not hold.
 * A refusal lists the free permits, and the next attempt immediately picks at random among those that most nodes report
 * free, so that contenders spread out.
 */
export class PermitPicker {
  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #permits: Permits;
  #free: readonly number[] | undefined;
  #asked: LockKind | undefined;

  constructor(context: Context, keys: LockKind, permits: Permits) {
    this.#context = context;
    this.#keys = keys;
    this.#permits = permits;
  }

  /** The keys of the next attempt. */
  next(waitQueue: WaitQueue | undefined, nowMs: number): LockKind {
    const { entropy, waitQueues } = this.#context;
    const { count } = this.#permits;
    const known = this.#free ?? [];
    const permits = known.length > 0 ? known : Array.from({ length: count }, (_, permit) => permit);
    this.#free = undefined;
    const turn = waitQueue?.takePermitTurn(nowMs, count);
    const permit = turn ?? waitQueues.permits.pick(this.#keys, permits, entropy.unit());
    this.#asked = this.#permits.at(permit);
    waitQueues.permits.add(this.#asked);
    return this.#asked;
  }

  /** The attempt failed. Whether nodes say that this or another permit is free; the next attempt picks among those. */
  onFailure({ kind, votes, isOutrun }: AttemptFailure): boolean {
    const asked = this.#asked?.permits?.permit;
    this.letGo();
    if (kind === "exhausted" && !isOutrun) return false;
    // A quorum had granted it, but the fences moved on meanwhile; the permit is free again.
    const isFreeAgain = isOutrun && asked !== undefined;
    this.#free = isFreeAgain ? [asked] : freePermits(votes, this.#permits.count);
    return this.#free.length > 0;
  }

  /** The next attempt is made so late that they say nothing any more. */
  forget(): void {
    this.#free = undefined;
  }

  /** The permit it asked for was not granted. */
  letGo(): void {
    if (this.#asked !== undefined) this.#context.waitQueues.permits.delete(this.#asked);
    this.#asked = undefined;
  }
}
