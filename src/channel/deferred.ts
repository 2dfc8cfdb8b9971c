import type { Clock } from "../coordinator/ports.js";

/** Calls that must not be made from within the current call; they run together after it, in order. */
export class Deferred {
  readonly #clock: Clock;
  #calls: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  push(call: () => void): void {
    this.#calls.push(call);
    if (this.#calls.length > 1) return;
    this.#clock.defer(() => {
      for (const due of this.#calls.splice(0)) due();
    });
  }
}
