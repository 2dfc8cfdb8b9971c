import type { CloseOptions } from "../api/locks.js";
import { checkKnown, number } from "../runtime/validate.js";
import type { Clock, Timer } from "../coordinator/ports.js";

/**
 * How long services wait for locks that are held when they shut down, unless they say otherwise, ms. Kubernetes gives a
 * process 30 s by default, and this is most of it.
 */
export const SERVICE_DRAIN_MS = 20_000;

/** @throws TypeError or RangeError for bad options. */
export function checkedDrainMs(options: CloseOptions): number {
  checkKnown(options, ["drainMs"]);
  return number("drainMs", options.drainMs ?? 0, 0);
}

/** The time in which holders may still release their locks while their manager closes. */
export class Drain {
  readonly #clock: Clock;
  #untilMs = Number.POSITIVE_INFINITY;
  #isDone: () => boolean = () => false;
  #onOver: (() => void) | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when {@link isDone} is true, which is checked at each {@link look}, or when the time is up. */
  wait(isDone: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#isDone = isDone;
      this.#onOver = resolve;
      this.look();
    });
  }

  /** The time is up this much later than now, or earlier if an earlier end was set. */
  limit(drainMs: number): void {
    this.#untilMs = Math.min(this.#untilMs, this.#clock.steady() + drainMs);
    this.look();
  }

  look(): void {
    if (this.#onOver === undefined) return;
    this.#timer?.cancel();
    const leftMs = this.#untilMs - this.#clock.steady();
    if (leftMs > 0 && !this.#isDone()) {
      // Even without a limit: the process stays alive until its locks have been released.
      this.#timer = this.#clock.setTimer(leftMs, () => this.look());
      return;
    }
    this.#onOver();
    this.#onOver = undefined;
  }
}
