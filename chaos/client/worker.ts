import { setTimeout as sleep } from "node:timers/promises";
import type { Lock, LockManager } from "../../src/index.js";
import { hashText, seededRandom, type Random } from "../../sim/random.js";
import { acquireSome } from "./acquire.js";
import type { Logbook } from "./logbook.js";
import type { Counts, Job } from "./messages.js";
import type { StoreClient } from "./store-client.js";
import { drawTenure, type Tenure } from "./tenure.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** A client: acquires a lock, works under it, releases it, rests a little, and starts again. */
export class Worker {
  readonly #job: Job;
  readonly #locks: LockManager;
  readonly #logbook: Logbook;
  readonly #stores: StoreClient;
  readonly #stop: () => void;
  readonly #random: Random;
  readonly #finishing = new AbortController();
  #isToStop = false;
  #counts = { granted: 0, refused: 0, failed: 0, lost: 0 };

  /** @param stop stops the whole process until another process continues it */
  constructor(
    job: Job,
    locks: LockManager,
    logbook: Logbook,
    stores: StoreClient,
    stop: () => void,
  ) {
    this.#job = job;
    this.#locks = locks;
    this.#logbook = logbook;
    this.#stores = stores;
    this.#stop = stop;
    this.#random = seededRandom(hashText(job.seed, job.process));
  }

  /** Ends what is in progress, including waits, and lets `run` resolve. */
  finish(): void {
    this.#finishing.abort(new Error("finish"));
  }

  /** Stops the process between its next check and the write that follows it. */
  stopAfterCheck(): void {
    this.#isToStop = true;
  }

  takeCounts(): Omit<Counts, "kind"> {
    const counts = this.#counts;
    this.#counts = { granted: 0, refused: 0, failed: 0, lost: 0 };
    return counts;
  }

  async run(): Promise<void> {
    while (!this.#isFinishing) {
      const tenure = drawTenure(this.#random, this.#job);
      const lock = await this.#acquire(tenure);
      if (lock !== undefined) {
        await this.#hold(lock, tenure);
        await this.#release(lock, tenure);
      }
      await sleep(this.#random.between(2, 30));
    }
  }

  get #isFinishing(): boolean {
    return this.#finishing.signal.aborted;
  }

  async #acquire(tenure: Tenure): Promise<Lock | undefined> {
    const { nodeTimeoutMs, ttlMs } = this.#job;
    const given =
      tenure.abortAfterMs === undefined ? [] : [AbortSignal.timeout(tenure.abortAfterMs)];
    const signal = AbortSignal.any([this.#finishing.signal, ...given]);
    const { call, settle } = this.#logbook.call(
      "acquire",
      tenure.name,
      (tenure.waitMs ?? 0) + 2 * nodeTimeoutMs,
    );
    const { lock, result } = await acquireSome(this.#locks, tenure, signal);
    if (lock === undefined) {
      settle(result);
      if (result === "held" || result === "aborted") this.#counts.refused++;
      else this.#counts.failed++;
      return undefined;
    }
    // The grant first: recording the result of the call takes time.
    this.#logbook.granted(lock, call, ttlMs);
    settle("granted");
    this.#counts.granted++;
    lock.signal.addEventListener("abort", () => this.#counts.lost++, { once: true });
    return lock;
  }

  async #hold(lock: Lock, { holdMs, writeEveryMs, extendEveryMs }: Tenure): Promise<void> {
    const endMs = performance.now() + holdMs;
    let extendAtMs = performance.now() + extendEveryMs;
    for (;;) {
      await this.#update(lock);
      const leftMs = endMs - performance.now();
      if (leftMs <= 0 || this.#isFinishing || !lock.isHeld) return;
      await sleep(Math.min(leftMs, this.#random.between(1, writeEveryMs)));
      if (performance.now() < extendAtMs) continue;
      extendAtMs = performance.now() + extendEveryMs;
      await this.#extend(lock);
    }
  }

  /** Increments the counter in both stores: reads it, and writes it back if the lock is still held. */
  async #update(lock: Lock): Promise<void> {
    if (!this.#logbook.isHeld(lock)) return;
    const [unfenced, fenced] = await Promise.all([
      this.#stores.read("unfenced", lock),
      this.#stores.read("fenced", lock),
    ]);
    if (this.#random.chance(50)) await sleep(this.#random.between(1, 12));
    if (!this.#logbook.isHeld(lock)) return;
    if (this.#isToStop) {
      this.#isToStop = false;
      this.#stop();
    }
    await Promise.all([
      unfenced === undefined ? undefined : this.#stores.write("unfenced", lock, unfenced),
      fenced === undefined ? undefined : this.#stores.write("fenced", lock, fenced),
    ]);
  }

  async #extend(lock: Lock): Promise<void> {
    const { settle } = this.#logbook.call(
      "extend",
      lock.name,
      this.#job.nodeTimeoutMs,
      ownerIdOf(lock),
    );
    try {
      await lock.extend();
      settle("extended");
    } catch (error) {
      settle((error as { code?: string }).code ?? String(error));
    }
  }

  async #release(lock: Lock, { isReleasedTwice }: Tenure): Promise<void> {
    for (let count = isReleasedTwice ? 2 : 1; count > 0; count--) {
      this.#logbook.releasing(lock);
      const { nodeTimeoutMs } = this.#job;
      const { settle } = this.#logbook.call("release", lock.name, nodeTimeoutMs, ownerIdOf(lock));
      try {
        settle(await lock.release());
      } catch (error) {
        settle(`rejected: ${String(error)}`);
      }
    }
  }
}
