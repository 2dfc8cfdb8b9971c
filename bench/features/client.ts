// The process of one run: acquires and releases on two sets of nodes in turn. Forked by run.ts.
import { LockManager, type AcquireOptions } from "../../src/index.js";
import { readStats } from "../numbers/node-stats.js";
import { cpuClock } from "../process/cpu-clock.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import { openClients } from "../subjects/clients.js";
import { nameOf, type Feature, type FeaturesPlan } from "./plan.js";
import type { CycleCost, FeaturesSample } from "./sample.js";

export interface ClientJob extends Pick<
  FeaturesPlan,
  "workerCount" | "warmUpMs" | "sliceMs" | "sliceCount"
> {
  readonly plainUrls: readonly string[];
  readonly usedUrls: readonly string[];
  readonly feature: Feature;
}

const TTL_MS = 60_000;

const OPTIONS: { readonly [Name in Feature]?: AcquireOptions } = {
  maxWaiters: { maxWaiters: 10 },
  "options of the call": { ttlMs: TTL_MS, renew: true },
  "own value": { value: "10.0.0.1:80" },
};

/** One set of nodes, and what was used of it. */
class Side {
  readonly #locks: LockManager;
  readonly #nodes: Awaited<ReturnType<typeof openClients>>;
  readonly #options: AcquireOptions;
  #cycleCount = 0;
  #cpuUs = 0;
  #elapsedMs = 0;
  #scriptsBeforeUs = 0;

  constructor(
    urls: readonly string[],
    nodes: Awaited<ReturnType<typeof openClients>>,
    options: AcquireOptions,
  ) {
    this.#locks = new LockManager(urls, { ttlMs: TTL_MS });
    this.#nodes = nodes;
    this.#options = options;
  }

  async ready(feature?: Feature): Promise<void> {
    await this.#locks.ready({ all: true });
    // From then on, the process listens for losses.
    if (feature === "another name renewed") await (await this.#locks.acquire("another")).extend();
  }

  /** Forgets what was used so far. */
  async begin(): Promise<void> {
    this.#cycleCount = this.#cpuUs = this.#elapsedMs = 0;
    this.#scriptsBeforeUs = await this.#scriptsUs();
  }

  async work(workerCount: number, forMs: number): Promise<void> {
    const cpuUs = cpuClock();
    const fromMs = nowMs();
    const cycles = async (worker: number): Promise<void> => {
      while (nowMs() < fromMs + forMs) {
        const lock = await this.#locks.acquire(nameOf(worker), this.#options);
        await lock.release();
        this.#cycleCount++;
      }
    };
    await Promise.all(Array.from({ length: workerCount }, (_, worker) => cycles(worker)));
    this.#elapsedMs += nowMs() - fromMs;
    this.#cpuUs += cpuUs();
  }

  async cost(): Promise<CycleCost> {
    return {
      cyclesPerSecond: (this.#cycleCount * 1_000) / this.#elapsedMs,
      clientUs: this.#cpuUs / this.#cycleCount,
      scriptsUs: ((await this.#scriptsUs()) - this.#scriptsBeforeUs) / this.#cycleCount,
    };
  }

  async #scriptsUs(): Promise<number> {
    const { spentUs } = await readStats(this.#nodes);
    return (spentUs.get("evalsha") ?? 0) + (spentUs.get("eval") ?? 0);
  }
}

serve(async (job: ClientJob): Promise<FeaturesSample> => {
  const { plainUrls, usedUrls, feature, workerCount, warmUpMs, sliceMs, sliceCount } = job;
  const sideOf = async (urls: readonly string[], options: AcquireOptions = {}): Promise<Side> =>
    new Side(urls, await openClients(urls), options);
  const plain = await sideOf(plainUrls);
  const used = await sideOf(usedUrls, OPTIONS[feature]);
  const sides = [plain, used];
  await Promise.all([plain.ready(), used.ready(feature)]);
  for (const side of sides) await side.work(workerCount, warmUpMs);
  for (const side of sides) await side.begin();
  for (let slice = 0; slice < sliceCount; slice++) {
    // What changes in the course of a round, such as the heap, is the same for both.
    const order = slice % 2 === 0 ? sides : sides.toReversed();
    for (const side of order) await side.work(workerCount, sliceMs);
  }
  return { plain: await plain.cost(), used: await used.cost() };
});
