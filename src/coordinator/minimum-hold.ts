import { keepMs } from "../protocol/delays.js";
import type { Clock } from "./ports.js";

/** How long a name must stay closed from the grant on, by a clock that does not run ahead. */
export class MinimumHold {
  readonly #clock: Clock;
  readonly #minHoldMs: number;
  readonly #driftFactor: number;
  /** Monotonic clock, ms. */
  readonly #grantedMs: number;

  /** The lock is granted now. */
  constructor(clock: Clock, minHoldMs: number, driftFactor: number) {
    this.#clock = clock;
    this.#minHoldMs = minHoldMs;
    this.#driftFactor = driftFactor;
    this.#grantedMs = clock.steady();
  }

  /** How long the name must stay closed if it is released now, ms; undefined if it need not. */
  get keepMs(): number | undefined {
    const heldMs = this.#clock.steady() - this.#grantedMs;
    return keepMs(this.#minHoldMs, heldMs, this.#driftFactor) || undefined;
  }
}
