import { keepMs } from "../protocol/delays.js";
import type { Clock } from "./ports.js";

/** How long a name has to stay closed from the grant of a lease on, by a clock that does not run ahead. */
export class MinimumHold {
  readonly #clock: Clock;
  readonly #minHoldMs: number;
  readonly #driftFactor: number;
  /** Monotonic clock, ms. */
  readonly #grantedMs: number;

  /** Now is the grant. */
  constructor(clock: Clock, minHoldMs: number, driftFactor: number) {
    this.#clock = clock;
    this.#minHoldMs = minHoldMs;
    this.#driftFactor = driftFactor;
    this.#grantedMs = clock.steady();
  }

  /** For how long the name is kept closed if it is released now, ms; undefined if it need not be. */
  get keepMs(): number | undefined {
    const heldMs = this.#clock.steady() - this.#grantedMs;
    return keepMs(this.#minHoldMs, heldMs, this.#driftFactor) || undefined;
  }
}
