import type { LockKind, Slots } from "../protocol/lock-kind.js";
import { freeSlots } from "../protocol/slots.js";
import type { AttemptFailure } from "./attempt-failure.js";
import type { Context } from "./context.js";
import type { WaitQueue } from "./wait-queue.js";

/** Consecutive attempts at slots reported free before it pauses. */
const MAX_QUICK_TRIES = 16;

/**
 * Chooses the permit of a semaphore that an acquire asks for. All nodes are asked for the same slot: a slot is a
 * mutex, and k mutexes on a quorum allow k holders. The first is random among those that this process does not hold.
 * A refusal lists the free slots, and the next attempt immediately picks at random among those that most nodes report
 * free, so that contenders spread out.
 */
export class SlotPicker {
  readonly #context: Context;
  readonly #keys: LockKind;
  readonly #slots: Slots;
  #free: readonly number[] | undefined;
  #asked: LockKind | undefined;
  #quickTries = 0;

  constructor(context: Context, keys: LockKind, slots: Slots) {
    this.#context = context;
    this.#keys = keys;
    this.#slots = slots;
  }

  /** The keys of the next attempt. */
  next(waitQueue: WaitQueue | undefined, nowMs: number): LockKind {
    const { entropy, waitQueues } = this.#context;
    const { count } = this.#slots;
    const slots = this.#free ?? Array.from({ length: count }, (_, slot) => slot);
    this.#free = undefined;
    const turn = waitQueue?.takeSlotTurn(nowMs, count);
    const slot = turn ?? waitQueues.slots.pick(this.#keys, slots, entropy.unit());
    this.#asked = this.#slots.at(slot);
    waitQueues.slots.add(this.#asked);
    return this.#asked;
  }

  /** The attempt failed. Whether another slot may be free and should be asked for immediately. */
  onFailure({ kind, votes, isOutrun }: AttemptFailure): boolean {
    const asked = this.#asked?.slots?.slot;
    this.letGo();
    if (kind === "exhausted" && !isOutrun) {
      this.#quickTries = 0;
      return false;
    }
    // A quorum had granted it, but the fences moved on meanwhile; the slot is free again.
    const isFreeAgain = isOutrun && asked !== undefined;
    this.#free = isFreeAgain ? [asked] : freeSlots(votes, this.#slots.count);
    if (this.#free.length > 0 && this.#quickTries < MAX_QUICK_TRIES) {
      this.#quickTries++;
      return true;
    }
    this.#free = undefined;
    this.#quickTries = 0;
    return false;
  }

  /** The slot it asked for was not granted. */
  letGo(): void {
    if (this.#asked !== undefined) this.#context.waitQueues.slots.delete(this.#asked);
    this.#asked = undefined;
  }
}
