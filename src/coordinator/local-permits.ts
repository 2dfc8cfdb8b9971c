import type { LockKind } from "../protocol/lock-kind.js";

/** What is wanted of a semaphore, and what is known of it. */
interface Choice {
  /** How many there are. */
  readonly count: number;
  readonly wanted: number;
  /** Which are free, ascending; empty if that is not known. */
  readonly free: readonly number[];
  /** Where among them, in [0, 1): 0 for the smallest. */
  readonly unit: number;
}

/** Of one semaphore. */
class TakenNumbers {
  /** How often each is: a call may ask for what another holds, where there is nothing else. */
  readonly all = new Map<number, number>();
  /** All smaller ones are taken. */
  #from = 0;

  add(number: number): void {
    this.all.set(number, (this.all.get(number) ?? 0) + 1);
    while (this.all.has(this.#from)) this.#from++;
  }

  delete(number: number): void {
    const left = (this.all.get(number) ?? 0) - 1;
    if (left > 0) this.all.set(number, left);
    else if (this.all.delete(number)) this.#from = Math.min(this.#from, number);
  }

  /** The smallest that are not taken; at most as many as are wanted. */
  smallest({ count, wanted }: Choice): number[] {
    const others: number[] = [];
    // Of a semaphore that has become too small, nodes refuse those that there are no more; fewer would be granted.
    const end = Math.max(count, wanted);
    for (let number = this.#from; number < end && others.length < wanted; number++) {
      if (!this.all.has(number)) others.push(number);
    }
    return others;
  }
}

/**
 * The semaphore permits that this process holds or asks for, so that its own calls do not collide. It knows nothing of
 * other processes: a hint that no guarantee relies on.
 */
export class LocalPermits {
  readonly #taken = new Map<string, TakenNumbers>();

  /** Numbers that this process neither holds nor asks for, ascending; or any, if there are not enough. */
  pick({ waitQueueKey }: LockKind, choice: Choice): readonly number[] {
    const { free, wanted, unit } = choice;
    const taken = this.#taken.get(waitQueueKey);
    const others =
      free.length > 0
        ? free.filter((number) => taken?.all.has(number) !== true)
        : (taken ?? NONE_TAKEN).smallest(choice);
    const enough = others.length >= wanted ? others : free;
    if (enough.length < wanted) return NONE_TAKEN.smallest(choice);
    const from = Math.floor(unit * (enough.length - wanted + 1));
    return enough.slice(from, from + wanted);
  }

  has({ waitQueueKey }: LockKind, number: number): boolean {
    return this.#taken.get(waitQueueKey)?.all.has(number) === true;
  }

  add({ waitQueueKey, permits }: LockKind): void {
    let taken = this.#taken.get(waitQueueKey);
    if (taken === undefined) {
      taken = new TakenNumbers();
      this.#taken.set(waitQueueKey, taken);
    }
    for (const number of permits?.numbers ?? []) taken.add(number);
  }

  delete({ waitQueueKey, permits }: LockKind): void {
    const taken = this.#taken.get(waitQueueKey);
    if (taken === undefined) return;
    for (const number of permits?.numbers ?? []) taken.delete(number);
    if (taken.all.size === 0) this.#taken.delete(waitQueueKey);
  }
}

const NONE_TAKEN = new TakenNumbers();
