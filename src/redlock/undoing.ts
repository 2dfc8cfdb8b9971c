import type { Clock } from "../coordinator/ports.js";
import type { Tap } from "./tap.js";

/** Listens to the releases by which an attempt that failed is undone. */
export class Undoing implements Tap {
  #silentCount = 0;
  #onAnswered: (() => void) | undefined;

  onAsk(): void {
    this.#silentCount++;
  }

  onVote(): void {
    this.#silentCount--;
    if (this.#silentCount === 0) this.#onAnswered?.();
  }

  /** Resolves when all nodes have answered, and at the deadline of a node at the latest. */
  settled(clock: Clock, timeoutMs: number): Promise<void> {
    if (this.#silentCount === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = clock.setTimer(timeoutMs, resolve);
      this.#onAnswered = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
