import type { LockKind, Slots } from "../protocol/lock-kind.js";
import { freeSlots } from "../protocol/slots.js";
import type { AttemptFailure } from "./attempt-failure.js";
import type { Context } from "./context.js";
import type { WaitQueue } from "./wait-queue.js";

/** Attempts at once at what others were said to be free, before it pauses. */
const MAX_QUICK_TRIES = 16;

/**
 * Which permit of a semaphore an acquire asks for. All nodes are asked for the same one: a slot is a
 * mutex, and k mutexes on a quorum are k holders. The first is drawn by lot, of those that this
 * process does not have itself. Whoever is refused hears which are free, and asks at once for one of
 * those that most nodes call free, again by lot, so that contenders go different ways.
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

  /** The attempt came to nothing. Whether another slot can be had, and should be asked for at once. */
  onFailure({ kind, votes, isUnsealed }: AttemptFailure): boolean {
    const asked = this.#asked?.slots?.slot;
    this.letGo();
    if (kind === "exhausted") return false;
    // A quorum had granted it: others counted on meanwhile, and it is free again.
    const isFreeAgain = isUnsealed === true && asked !== undefined;
    this.#free = isFreeAgain ? [asked] : freeSlots(votes, this.#slots.count);
    if (this.#free.length > 0 && this.#quickTries < MAX_QUICK_TRIES) {
      this.#quickTries++;
      return true;
    }
    this.#free = undefined;
    this.#quickTries = 0;
    return false;
  }

  /** It has not got what it asked for. */
  letGo(): void {
    if (this.#asked !== undefined) this.#context.waitQueues.slots.delete(this.#asked);
    this.#asked = undefined;
  }
}
