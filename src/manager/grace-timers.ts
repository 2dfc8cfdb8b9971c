import type { Clock, Timer } from "../coordinator/ports.js";

/** Timers for callbacks that go on without their locks. Once the manager is closed, none keeps the process alive. */
export class GraceTimers implements Pick<Clock, "setTimer"> {
  readonly #clock: Pick<Clock, "setTimer">;
  readonly #running = new Set<Timer>();
  #isClosed = false;

  constructor(clock: Pick<Clock, "setTimer">) {
    this.#clock = clock;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const timer = this.#clock.setTimer(delayMs, () => {
      this.#running.delete(timer);
      callback();
    });
    if (this.#isClosed) timer.unref?.();
    else this.#running.add(timer);
    return {
      cancel: () => {
        this.#running.delete(timer);
        timer.cancel();
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#running) timer.unref?.();
    this.#running.clear();
  }
}
