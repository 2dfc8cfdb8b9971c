// Another process, which ends locks of the holder by force, one after the other. Forked by run.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";
import { nameOf } from "./names.js";

export interface EnderJob {
  readonly urls: readonly string[];
  readonly endedCount: number;
}

/** So that the holder need not limit how often it asks the nodes, ms. */
const PAUSE_MS = 100;

/** @returns when each call had ended one, in the order of the names */
serve(async ({ urls, endedCount }: EnderJob): Promise<readonly number[]> => {
  const locks = new LockManager(urls);
  await locks.ready({ all: true });
  const endedMs: number[] = [];
  for (let index = 0; index < endedCount; index++) {
    await locks.forceRelease(nameOf(index));
    endedMs.push(nowMs());
    await sleep(PAUSE_MS);
  }
  return endedMs;
});
