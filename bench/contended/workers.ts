import { setTimeout as sleep } from "node:timers/promises";
import { openAcquire, type Acquire } from "../subjects/acquire.js";
import type { Contender, ContenderAnswer, Contention } from "./contention.js";

/** Workers that acquire, hold and release through a library. */
export async function openWorkers(
  subjectName: string,
  urls: readonly string[],
): Promise<Contender> {
  const acquire = await openAcquire(subjectName, urls);
  return { run: (contention, measureMs) => work(acquire, contention, measureMs) };
}

/** How long after the end a lock may still come in, ms, before its worker counts as waiting. */
const GRACE_MS = 200;

async function work(
  acquire: Acquire,
  { workerCount, sectionMs }: Contention,
  measureMs: number,
): Promise<ContenderAnswer> {
  const counts = Array.from({ length: workerCount }, () => 0);
  const waitsMs: number[] = [];
  const waitingSinceMs = new Map<number, number>();
  const endMs = performance.now() + measureMs;
  const workOne = async (worker: number): Promise<void> => {
    while (performance.now() < endMs) {
      const fromMs = performance.now();
      waitingSinceMs.set(worker, fromMs);
      const release = await acquire("contended");
      const gotMs = performance.now();
      waitingSinceMs.delete(worker);
      if (gotMs < endMs) {
        waitsMs.push(gotMs - fromMs);
        counts[worker] = (counts[worker] ?? 0) + 1;
      }
      if (sectionMs > 0) await sleep(sectionMs);
      // A lease that ran out meanwhile is not what is measured.
      await release().catch(() => {});
    }
  };
  const all = Promise.all(counts.map((_, worker) => workOne(worker)));
  await Promise.race([all, sleep(measureMs + GRACE_MS)]);
  return { counts, waitsMs, openWaitsMs: [...waitingSinceMs.values()].map((ms) => endMs - ms) };
}
