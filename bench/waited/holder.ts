// The process that holds what others wait for: many names, which it releases when asked. Forked by run.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager, type Lock } from "../../src/index.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import { nameOf } from "./names.js";

export type HolderQuestion =
  | { readonly kind: "hold"; readonly urls: readonly string[]; readonly nameCount: number }
  | { readonly kind: "release" };

/** Names released together, and the pause after them, ms: a single burst would measure the CPU instead. */
const RELEASED_TOGETHER = 20;
const PAUSE_MS = 50;

/** Long, for few renewals: only the waiting is to be measured. */
const TTL_MS = 60_000;

let held: Lock[] = [];

/** @returns to "release": when each was released, in the order of the names */
serve(async (question: HolderQuestion): Promise<readonly number[]> => {
  if (question.kind === "hold") {
    const locks = new LockManager(question.urls, { ttlMs: TTL_MS, maxTtlMs: TTL_MS });
    await locks.ready();
    const names = Array.from({ length: question.nameCount }, (_, index) => nameOf(index));
    held = await Promise.all(names.map(async (name) => await locks.acquire(name)));
    return [];
  }
  const releasedMs: number[] = [];
  for (const [index, lock] of held.entries()) {
    releasedMs.push(nowMs());
    void lock.release();
    if (index % RELEASED_TOGETHER === RELEASED_TOGETHER - 1) await sleep(PAUSE_MS);
  }
  return releasedMs;
});
