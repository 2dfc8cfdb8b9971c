import { setTimeout as sleep } from "node:timers/promises";
import { openAcquire, type Acquire } from "../subjects/acquire.js";
import type { Contender, ContenderAnswer, Contention } from "./contention.js";

/** Workers that acquire, hold and release through a library. */
export async function openWorkers(
  subjectName: string,
  urls: readonly string[],
): Promise<Contender> {
  return new Workers(await openAcquire(subjectName, urls));
}

/** How long after the end a lock may still be acquired, ms, before its worker counts as waiting. */
const GRACE_MS = 200;

const WARM_UP_IN_FLIGHT = 8;

/** From one begin to its end, which is known once it is measured. */
interface Run {
  endMs: number;
}

class Workers implements Contender {
  readonly #acquire: Acquire;
  /** By worker. */
  #counts: number[] = [];
  #waitsMs: number[] = [];
  readonly #waitingSinceMs = new Map<number, number>();
  #run: Run = { endMs: Infinity };
  #all: Promise<unknown> = Promise.resolve();

  constructor(acquire: Acquire) {
    this.#acquire = acquire;
  }

  async warmUp(cycleCount: number): Promise<void> {
    let next = 0;
    const loop = async (): Promise<void> => {
      // Names of this process only: the others warm up at the same time.
      while (next < cycleCount) await (await this.#acquire(`warm:${process.pid}:${next++}`))();
    };
    await Promise.all(Array.from({ length: WARM_UP_IN_FLIGHT }, loop));
  }

  begin({ workerCount, sectionMs }: Contention): void {
    this.#counts = Array.from({ length: workerCount }, () => 0);
    this.#run = { endMs: Infinity };
    this.#all = Promise.all(
      this.#counts.map((_, worker) => this.#work(this.#run, worker, sectionMs)),
    );
  }

  async measure(measureMs: number): Promise<ContenderAnswer> {
    this.#counts.fill(0);
    this.#waitsMs = [];
    const endMs = performance.now() + measureMs;
    this.#run.endMs = endMs;
    await Promise.race([this.#all, sleep(measureMs + GRACE_MS)]);
    return {
      counts: this.#counts,
      waitsMs: this.#waitsMs,
      openWaitsMs: [...this.#waitingSinceMs.values()].map((ms) => endMs - ms),
    };
  }

  async #work(run: Run, worker: number, sectionMs: number): Promise<void> {
    while (performance.now() < run.endMs) {
      const fromMs = performance.now();
      this.#waitingSinceMs.set(worker, fromMs);
      const release = await this.#acquire("contended");
      const gotMs = performance.now();
      this.#waitingSinceMs.delete(worker);
      if (gotMs < run.endMs) {
        this.#waitsMs.push(gotMs - fromMs);
        this.#counts[worker] = (this.#counts[worker] ?? 0) + 1;
      }
      if (sectionMs > 0) await sleep(sectionMs);
      // Leases that expired in the meantime are not part of this measurement.
      await release().catch(() => {});
    }
  }
}
