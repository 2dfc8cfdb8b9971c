// One process of a contention: its workers acquire, hold, release. Forked by run-contention.ts.
import { setTimeout as sleep } from "node:timers/promises";
import Redlock from "redlock";
import { LockManager } from "../../src/index.js";
import { openClients } from "../subjects/clients.js";
import { TTL_MS } from "../subjects/subject.js";
import type { ContenderAnswer, ContenderJob, ContendedSubject } from "./contention.js";

/** Waits for the lock and returns how to release it. */
type Acquire = () => Promise<() => Promise<unknown>>;

const NAME = "contended";

process.once("message", (job) => {
  void run(job as ContenderJob).then((answer) => {
    // What still waits would go on for long: the end of the process is the end of the run.
    process.send?.(answer, () => process.exit(0));
  });
});

async function run({ subjectName, urls, contention }: ContenderJob): Promise<ContenderAnswer> {
  const acquire = await open(subjectName, urls);
  const { workerCount, sectionMs, measureMs } = contention;
  const counts = Array.from({ length: workerCount }, () => 0);
  const waitsMs: number[] = [];
  const endMs = performance.now() + measureMs;
  const work = async (worker: number): Promise<void> => {
    while (performance.now() < endMs) {
      const fromMs = performance.now();
      const release = await acquire();
      const gotMs = performance.now();
      if (gotMs < endMs) {
        waitsMs.push(gotMs - fromMs);
        counts[worker] = (counts[worker] ?? 0) + 1;
      }
      await sleep(sectionMs);
      // A lease that ran out meanwhile is not what is measured.
      await release().catch(() => {});
    }
  };
  const all = Promise.all(counts.map((_, worker) => work(worker)));
  // Whoever still waits then has not got it in time.
  await Promise.race([all, sleep(measureMs + 200)]);
  return { counts, waitsMs };
}

async function open(subjectName: ContendedSubject, urls: readonly string[]): Promise<Acquire> {
  if (subjectName === "redlock") {
    const locks = new Redlock(await openClients(urls), { retryCount: -1 });
    return async () => {
      const lock = await locks.acquire([`lock:${NAME}`], TTL_MS);
      return () => lock.release();
    };
  }
  const fair = subjectName === "quorate-fair";
  const locks = new LockManager(urls, { ttlMs: TTL_MS, waitMs: 600_000, fair });
  await locks.ready();
  return async () => {
    const lock = await locks.acquire(NAME);
    return () => lock.release();
  };
}
