import { checkKnown, number } from "./validate.js";
import type { Clock, Timer } from "./coordinator/ports.js";

/** Options of {@link LockManager.close}. */
export interface CloseOptions {
  /**
   * How long locks that are held may go on, ms, so that the callbacks of `request` can finish; Infinity for no
   * limit. Terms of elections end at once.
   * @defaultValue 0: all locks end at once
   */
  readonly drainMs?: number | undefined;
}

/** @throws TypeError or RangeError for bad options. */
export function checkedDrainMs(options: CloseOptions): number {
  checkKnown(options, ["drainMs"]);
  return number("drainMs", options.drainMs ?? 0, 0);
}

/** The time in which locks may still be released by their holders while their manager closes. */
export class Drain {
  readonly #clock: Clock;
  #untilMs = Number.POSITIVE_INFINITY;
  #isDone: () => boolean = () => false;
  #onOver: (() => void) | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when {@link isDone} says so, which is asked at each {@link look}, or the time is over. */
  wait(isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#isDone = isDone;
      this.#onOver = resolve;
      this.look();
    });
  }

  /** The time is over this much later than now, unless it is over before. */
  limit(drainMs: number): void {
    this.#untilMs = Math.min(this.#untilMs, this.#clock.steady() + drainMs);
    this.look();
  }

  look(): void {
    if (this.#onOver === undefined) return;
    this.#timer?.cancel();
    const leftMs = this.#untilMs - this.#clock.steady();
    if (leftMs > 0 && !this.#isDone()) {
      // Also without a limit: the process stays until its locks have been released.
      this.#timer = this.#clock.setTimer(leftMs, () => this.look());
      return;
    }
    this.#onOver();
    this.#onOver = undefined;
  }
}
