import { setTimeout as sleep } from "node:timers/promises";
import type { LockManager } from "../../src/index.js";

/** Names in use: each comes back long after its release. */
const NAME_COUNT = 10_000;

/**
 * Begins cycles at a fixed rate, whatever becomes of those before: a client that waits for what is
 * slow would hide it.
 */
export class PacedLoad {
  readonly #locks: LockManager;
  readonly #cyclesPerSecond: number;
  #latenciesMs: number[] = [];
  #failedCount = 0;
  #begunCount = 0;
  /** Instant of the first cycle since the reset. */
  #fromMs = performance.now();
  #nextName = 0;

  constructor(locks: LockManager, cyclesPerSecond: number) {
    this.#locks = locks;
    this.#cyclesPerSecond = cyclesPerSecond;
    void this.#run();
  }

  /** Of acquires that were begun since the reset, ms. */
  get latenciesMs(): readonly number[] {
    return this.#latenciesMs;
  }

  get failedCount(): number {
    return this.#failedCount;
  }

  /** Cycles in progress do not count any more. */
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
