// The process of one run: waits for many names, and does nothing else. Forked by run.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";
import { callsBetween, readStats } from "../numbers/node-stats.js";
import { cpuClock } from "../process/cpu-clock.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import { openClients } from "../subjects/clients.js";
import { nameOf } from "./names.js";
import type { IdleSample } from "./sample.js";

export type WaiterQuestion =
  | {
      readonly kind: "wait";
      readonly urls: readonly string[];
      readonly nameCount: number;
      readonly settleMs: number;
      readonly measureMs: number;
    }
  | { readonly kind: "granted"; readonly withinMs: number };

/** Longer than any run. */
const WAIT_MS = 600_000;

const grantedMs: number[] = [];
let isAllGranted: Promise<unknown> = Promise.resolve();

/** @returns to "granted": when each was granted, in the order of the names; NaN for names not granted */
serve(async (question: WaiterQuestion): Promise<IdleSample | readonly number[]> => {
  if (question.kind === "granted") {
    await Promise.race([isAllGranted, sleep(question.withinMs)]);
    return grantedMs;
  }
  const { urls, nameCount, settleMs, measureMs } = question;
  const nodes = await openClients(urls);
  const locks = new LockManager(urls);
  await locks.ready();
  isAllGranted = Promise.all(Array.from({ length: nameCount }, (_, at) => waitFor(locks, at)));
  await sleep(settleMs);

  const before = await readStats(nodes);
  const cpuUs = cpuClock();
  const fromMs = performance.now();
  await sleep(measureMs);
  const elapsedMs = performance.now() - fromMs;
  const clientCpuUs = cpuUs();
  const after = await readStats(nodes);
  return {
    clientCpuShare: clientCpuUs / 1_000 / elapsedMs,
    serverCpuShare: (after.cpuUs - before.cpuUs) / 1_000 / elapsedMs / nodes.length,
    callsPerNode:
      (callsBetween(before, after, ["eval", "evalsha"]) * 1_000) / elapsedMs / nodes.length,
  };
});

async function waitFor(locks: LockManager, index: number): Promise<void> {
  grantedMs[index] = Number.NaN;
  await locks.acquire(nameOf(index), { waitMs: WAIT_MS });
  grantedMs[index] = nowMs();
}
