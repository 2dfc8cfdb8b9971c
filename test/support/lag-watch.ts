/** Between two looks, ms. */
const PACE_MS = 10;

/**
 * Sees whether this process, and probably the machine, was stopped for a while: what calls that wait a second at most
 * then come to says nothing about the library.
 */
export class LagWatch implements Disposable {
  #longestMs = 0;
  #lastMs = performance.now();
  readonly #timer = setInterval(() => this.#look(), PACE_MS);

  /** Whether the process has never been stopped for longer than this. */
  isBelow(ms: number): boolean {
    this.#look();
    return this.#longestMs < ms;
  }

  #look(): void {
    const nowMs = performance.now();
    this.#longestMs = Math.max(this.#longestMs, nowMs - this.#lastMs - PACE_MS);
    this.#lastMs = nowMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
