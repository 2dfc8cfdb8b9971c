// The process in which a name gets a holder, and loses it again. Forked by run.ts.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";
import { serve } from "../process/serve.js";

export interface ChangerQuestion {
  readonly urls: readonly string[];
  readonly name: string;
  readonly forMs: number;
  readonly changeMs: number;
}

let locks: LockManager | undefined;

/** @returns the number of changes: each acquire and each release */
serve(async ({ urls, name, forMs, changeMs }: ChangerQuestion): Promise<number> => {
  locks ??= new LockManager(urls);
  await locks.ready({ all: true });
  const endMs = performance.now() + forMs;
  let count = 0;
  while (performance.now() < endMs) {
    const lock = await locks.acquire(name);
    await sleep(changeMs);
    await lock.release();
    await sleep(changeMs);
    count += 2;
  }
  return count;
});
