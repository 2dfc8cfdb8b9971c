import { setTimeout as sleep } from "node:timers/promises";
import type { LockManager } from "../../src/index.js";

/** Number of names: each is reused long after its release. */
const NAME_COUNT = 10_000;

/**
 * Starts cycles at a fixed rate, whatever happens to earlier ones: a client that waited for slow cycles would hide
 * them.
 */
export class PacedLoad {
  readonly #locks: LockManager;
  readonly #cyclesPerSecond: number;
  #latenciesMs: number[] = [];
  #failedCount = 0;
  #begunCount = 0;
  /** Start of the first cycle since the reset. */
  #fromMs = performance.now();
  #nextName = 0;

  constructor(locks: LockManager, cyclesPerSecond: number) {
    this.#locks = locks;
    this.#cyclesPerSecond = cyclesPerSecond;
    void this.#run();
  }

  /** Latencies of acquires started since the reset, ms. */
  get latenciesMs(): readonly number[] {
    return this.#latenciesMs;
  }

  get failedCount(): number {
    return this.#failedCount;
  }

  /** Cycles in progress are no longer counted. */
  reset(): void {
    this.#latenciesMs = [];
    this.#failedCount = 0;
    this.#begunCount = 0;
    this.#fromMs = performance.now();
  }

  async #run(): Promise<never> {
    for (;;) {
      const dueCount = ((performance.now() - this.#fromMs) * this.#cyclesPerSecond) / 1_000;
      while (this.#begunCount < dueCount) {
        this.#begunCount++;
        void this.#cycle(this.#latenciesMs);
      }
      await sleep(1);
    }
  }

  async #cycle(latenciesMs: number[]): Promise<void> {
    const fromMs = performance.now();
    try {
      const lock = await this.#locks.acquire(`faults:${this.#nextName++ % NAME_COUNT}`);
      latenciesMs.push(performance.now() - fromMs);
      await lock.release();
    } catch {
      if (latenciesMs === this.#latenciesMs) this.#failedCount++;
    }
  }
}
