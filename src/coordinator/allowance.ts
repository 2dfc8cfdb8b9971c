/** A token bucket: allows so many events per second, and no larger burst. */
export class Allowance {
  readonly #perSecond: number;
  #left: number;
  #filledMs: number | undefined;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Whether another event is allowed. @param nowMs of any clock that does not go back */
  allows(nowMs: number): boolean {
    return this.#leftAt(nowMs) >= 1;
  }

  /** The same; and if it is, it happens. */
  take(nowMs: number): boolean {
    this.#left = this.#leftAt(nowMs);
    this.#filledMs = Math.max(nowMs, this.#filledMs ?? nowMs);
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }

  #leftAt(nowMs: number): number {
    const gained = ((nowMs - (this.#filledMs ?? nowMs)) * this.#perSecond) / 1_000;
    return Math.min(this.#perSecond, this.#left + Math.max(0, gained));
  }
}
