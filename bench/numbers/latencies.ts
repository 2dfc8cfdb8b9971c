import { quantileOf } from "./quantile.js";

/** Latencies of one run, ms: plain doubles, so that recording one creates no garbage. */
export class Latencies {
  #values = new Float64Array(65_536);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(latencyMs: number): void {
    if (this.#count === this.#values.length) {
      const larger = new Float64Array(2 * this.#values.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#count++] = latencyMs;
  }

  /** Values at these quantiles (0 to 1), by nearest rank; NaN if nothing was recorded. */
  quantiles(...at: readonly number[]): number[] {
    const sorted = this.#values.slice(0, this.#count).toSorted();
    return at.map((quantile) => quantileOf(sorted, quantile));
  }
}
