// The client of one run: it generates a steady load and measures it. Forked by run.ts, with --expose-gc.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";
import { heapBytes } from "../process/heap.js";
import { serve } from "../process/serve.js";
import { TTL_MS } from "../subjects/subject.js";
import { PacedLoad } from "./paced-load.js";
import type { Look } from "./sample.js";

export type ClientQuestion =
  | { readonly kind: "open"; readonly urls: readonly string[]; readonly cyclesPerSecond: number }
  | { readonly kind: "ready" }
  | { readonly kind: "look" };

/**
 * A forced collection also discards compiled code. Time for compiling it again, ms: slowness during that time is due
 * neither to the locks nor to the outage.
 */
const COMPILE_MS = 500;

let locks: LockManager | undefined;
let load: PacedLoad | undefined;

serve(async (question: ClientQuestion) => {
  if (question.kind === "look") return load === undefined ? undefined : lookAt(load);
  if (question.kind === "ready") return locks?.ready({ all: true });
  return begin(question.urls, question.cyclesPerSecond);
});

async function begin(urls: readonly string[], cyclesPerSecond: number): Promise<void> {
  // Short, so that a node that was killed votes again soon.
  locks = new LockManager(urls, { ttlMs: TTL_MS, maxTtlMs: TTL_MS });
  await locks.ready();
  load = new PacedLoad(locks, cyclesPerSecond);
}

async function lookAt(load: PacedLoad): Promise<Look> {
  const { latenciesMs, failedCount } = load;
  const look = { latenciesMs, failedCount, heapBytes: heapBytes() };
  await sleep(COMPILE_MS);
  load.reset();
  return look;
}
