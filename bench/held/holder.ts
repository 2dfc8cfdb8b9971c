// The process of one run: acquires many locks and holds them, and is told of those that end. Forked by run.ts, with
// --expose-gc.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager, type Lock } from "../../src/index.js";
import { Latencies } from "../numbers/latencies.js";
import { callsBetween, readStats } from "../numbers/node-stats.js";
import { cpuClock } from "../process/cpu-clock.js";
import { heapBytes } from "../process/heap.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import { openClients } from "../subjects/clients.js";
import { LATE_MS } from "../waited/sample.js";
import { nameOf } from "./names.js";
import type { HoldingSample } from "./sample.js";

export type HolderQuestion = HoldQuestion | { readonly kind: "told" };

export interface HoldQuestion {
  readonly kind: "hold";
  readonly urls: readonly string[];
  readonly lockCount: number;
  /** The first so many of them are to be ended. */
  readonly endedCount: number;
  readonly ttlMs: number;
  readonly settleMs: number;
  readonly measureMs: number;
}

/** Acquires in flight at a time. */
const IN_FLIGHT = 256;

/** Longer than the timeout of any operation, ms: nothing still waits for one. */
const AFTER_DEADLINES_MS = 1_000;

/** Interval at which a single acquire and release is timed, ms. */
const PROBE_EVERY_MS = 20;

const toldMs: number[] = [];

/** @returns to "told", a while after the last has ended: when each signal fired, in the order of the names; NaN where none did */
serve(async (question: HolderQuestion): Promise<HoldingSample | readonly number[]> => {
  if (question.kind === "hold") return hold(question);
  await sleep(LATE_MS);
  return toldMs;
});

async function hold(question: HoldQuestion): Promise<HoldingSample> {
  const { urls, lockCount, endedCount, ttlMs, settleMs, measureMs } = question;
  const nodes = await openClients(urls);
  const locks = new LockManager(urls, { ttlMs });
  await locks.ready();
  await warmUp(locks);
  const heapBefore = heapBytes();
  const held = await acquireAll(locks, lockCount);
  await sleep(settleMs);

  const before = await readStats(nodes);
  const cpuUs = cpuClock();
  const fromMs = performance.now();
  await sleep(measureMs);
  const elapsedMs = performance.now() - fromMs;
  const clientCpuUs = cpuUs();
  const after = await readStats(nodes);
  // Not before: a forced collection also discards compiled code, and the measurement would include
  // compiling it again.
  const heapAfter = heapBytes();

  // After the measurement above, which is of an otherwise idle process.
  const latencies = await probe(locks, Math.min(measureMs, PROBE_EVERY_MS * 100));
  held.slice(0, endedCount).forEach(listenTo);
  const [acquireP50Ms = Number.NaN, acquireP99Ms = Number.NaN] = latencies.quantiles(0.5, 0.99);
  const perSecond = (commands?: readonly string[]): number =>
    (callsBetween(before, after, commands) * 1_000) / elapsedMs / nodes.length;
  return {
    clientCpuShare: clientCpuUs / 1_000 / elapsedMs,
    serverCpuShare: (after.cpuUs - before.cpuUs) / 1_000 / elapsedMs,
    heapBytesPerLock: (heapAfter - heapBefore) / lockCount,
    callsPerNode: perSecond(["eval", "evalsha"]),
    executedPerNode: perSecond(),
    acquireP50Ms,
    acquireP99Ms,
    lostCount: held.filter((lock) => !lock.isHeld).length,
  };
}

function listenTo(lock: Lock, index: number): void {
  toldMs[index] = Number.NaN;
  lock.signal.addEventListener("abort", () => (toldMs[index] = nowMs()));
}

/** Before the heap is measured, code is compiled, buffers are allocated, and nothing is in flight. */
async function warmUp(locks: LockManager): Promise<void> {
  const held = await acquireAll(locks, 2 * IN_FLIGHT);
  await Promise.all(held.map((lock) => lock.release()));
  await sleep(AFTER_DEADLINES_MS);
}

async function acquireAll(locks: LockManager, count: number): Promise<Lock[]> {
  const held: Lock[] = [];
  let next = 0;
  const acquireNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      held[index] = await locks.acquire(nameOf(index));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, acquireNext));
  return held;
}

async function probe(locks: LockManager, durationMs: number): Promise<Latencies> {
  const latencies = new Latencies();
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) {
    const fromMs = performance.now();
    const lock = await locks.acquire("probe");
    latencies.add(performance.now() - fromMs);
    await lock.release();
    await sleep(PROBE_EVERY_MS);
  }
  return latencies;
}
