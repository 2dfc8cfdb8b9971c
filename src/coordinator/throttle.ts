import { LinkedSet, type Linkable } from "./linked-set.js";
import type { Clock, Timer } from "./ports.js";

/** Something that is limited by a {@link Throttle}. */
export interface Throttled extends Linkable {
  begin(): void;
}

/**
 * Limits what is under way at once. The rest begins as that ends: first all that is urgent, and otherwise first come,
 * first served.
 *
 * Not p-limit: what waits there can neither be taken out again nor be overtaken by what is urgent.
 */
export class Throttle<Item extends Throttled> {
  /** How many may be under way when another begins that is not urgent. */
  limit: number;
  /** How many are. */
  underWayCount = 0;
  readonly #clock: Clock;
  readonly #urgentRoom: number;
  readonly #urgent = new LinkedSet<Item>();
  readonly #others = new LinkedSet<Item>();
  #isClosed = false;
  #turn: Timer | undefined;

  /** @param urgentRoom for so many more if they are urgent */
  constructor(clock: Clock, limit: number, urgentRoom = 0) {
    this.#clock = clock;
    this.limit = limit;
    this.#urgentRoom = urgentRoom;
  }

  get waitingCount(): number {
    return this.#urgent.size + this.#others.size;
  }

  /** Some wait that are not urgent: the limit is what holds them up. */
  get isCrowded(): boolean {
    return this.#others.size > 0;
  }

  isWaiting(item: Item): boolean {
    return this.#urgent.has(item) || this.#others.has(item);
  }

  hasRoom(isUrgent: boolean): boolean {
    return this.underWayCount < this.limit + (isUrgent ? this.#urgentRoom : 0);
  }

  /** Begins it now, or as soon as there is room. @returns false if it has to wait */
  enter(item: Item, isUrgent: boolean): boolean {
    if (this.#isClosed) return true;
    // It may wait already, as one that was not urgent.
    this.#others.delete(item);
    const hasRoom = this.hasRoom(isUrgent);
    if (hasRoom) this.begin(item);
    else this.wait(item, isUrgent);
    return hasRoom;
  }

  /** It begins when others have ended, or with {@link Throttle.beginNext}. */
  wait(item: Item, isUrgent: boolean): void {
    (isUrgent ? this.#urgent : this.#others).add(item);
  }

  /** It no longer waits. */
  leave(item: Item): void {
    this.#urgent.delete(item);
    this.#others.delete(item);
    if (this.waitingCount > 0) return;
    this.#turn?.cancel();
    this.#turn = undefined;
  }

  /** One that does not wait begins, whether there is room or not. {@link Throttle.onEnd} must follow. */
  begin(item: Item): void {
    this.underWayCount++;
    item.begin();
  }

  /** One that had begun has ended. */
  onEnd(): void {
    this.underWayCount--;
    this.beginSoon();
  }

  /**
   * By a timer, so that replies are read in between. Where nodes are suspected, operations end as soon as they begin,
   * and all of them would do so in one turn of the event loop.
   */
  beginSoon(): void {
    if (this.waitingCount === 0) return;
    this.#turn ??= this.#clock.setTimer(0, () => {
      this.#turn = undefined;
      this.beginNext();
    });
  }

  /** All for which there is room. */
  beginNext(): void {
    for (const waiting of [this.#urgent, this.#others]) {
      for (let next = waiting.first; next !== undefined; next = waiting.first) {
        if (!this.hasRoom(waiting === this.#urgent)) return;
        waiting.delete(next);
        this.begin(next);
      }
    }
  }

  /** Nothing waits or enters any more. */
  close(): void {
    this.#isClosed = true;
    this.#urgent.clear();
    this.#others.clear();
  }
}
