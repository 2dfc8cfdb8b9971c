import type { Clock } from "../../coordinator/ports.js";
import type { Tap } from "./tap.js";

/** Observes the releases that undo a failed attempt. */
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

  /** Resolves when all nodes have answered, at the latest at a node's deadline. */
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
