import { LinkedSet, type Linkable } from "./linked-set.js";
import type { Clock } from "./ports.js";

/** A lease to be renewed. */
export interface Renewable extends Linkable {
  renew(): void;
}

/**
 * Renewals in flight at once. More would queue up at the nodes instead of here, against their own deadlines and ahead
 * of other operations; fewer could not sustain 100,000 locks of 10 s at a round trip of 30 ms.
 */
export const MAX_RENEWALS = 1_024;

/**
 * Limits the renewals in flight. The others begin as these end, first come, first served. So many locks that are due
 * together (acquired together, or due after a stall) never block the event loop or a node for long.
 */
export class Renewals {
  readonly #clock: Clock;
  /** In order of entry. The first set holds the urgent ones. */
  readonly #waiting = [new LinkedSet<Renewable>(), new LinkedSet<Renewable>()] as const;
  #underWayCount = 0;
  #isTurnDue = false;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many wait for others to end. */
  get waitingCount(): number {
    return this.#waiting[0].size + this.#waiting[1].size;
  }

  /** Whether it waits for others to end. */
  isWaiting(renewable: Renewable): boolean {
    return this.#waiting.some((waiting) => waiting.has(renewable));
  }

  /**
   * Begins the renewal, now or as soon as there is room.
   *
   * @param isUrgent it goes ahead of the others, and as many urgent ones again have room
   * @returns false if it has to wait. Once it has begun, {@link Renewals.onEnd} must follow.
   */
  begin(renewable: Renewable, isUrgent: boolean): boolean {
    if (this.#isClosed) return true;
    if (this.#underWayCount >= (isUrgent ? 2 * MAX_RENEWALS : MAX_RENEWALS)) {
      const [urgent, others] = this.#waiting;
      if (isUrgent) others.delete(renewable);
      (isUrgent ? urgent : others).add(renewable);
      return false;
    }
    this.forget(renewable);
    this.#underWayCount++;
    renewable.renew();
    return true;
  }

  /** It needs no renewal any more, unless it asks again. */
  forget(renewable: Renewable): void {
    for (const waiting of this.#waiting) waiting.delete(renewable);
  }

  /** A renewal that had begun has ended. */
  onEnd(): void {
    this.#underWayCount--;
    if (this.waitingCount === 0 || this.#isTurnDue) return;
    this.#isTurnDue = true;
    // By a timer, so that replies are read in between. Where nodes are suspected, renewals end as soon as they begin,
    // and all of them would do so in one turn of the event loop.
    this.#clock.setTimer(0, () => this.#beginNext());
  }

  /** Begins no more renewals: all locks are about to be released, and renewals would delay that. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting) waiting.clear();
  }

  #beginNext(): void {
    this.#isTurnDue = false;
    const [urgent, others] = this.#waiting;
    // The others wait until all urgent ones have begun.
    for (const next of urgent) if (!this.begin(next, true)) return;
    for (const next of others) if (!this.begin(next, false)) return;
  }
}
