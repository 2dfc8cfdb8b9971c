// A process that acquires one name, and holds it until it is killed. Forked by run.ts.
import { LockManager } from "../../src/index.js";
import { nowMs } from "../process/now.js";
import { serve } from "../process/serve.js";

export interface ContenderQuestion {
  readonly urls: readonly string[];
  readonly name: string;
  readonly ttlMs: number;
  readonly clockStepMs: number;
  readonly waitMs: number;
}

/** @returns when it was granted */
serve(async ({ urls, name, waitMs, ...options }: ContenderQuestion): Promise<number> => {
  const locks = new LockManager(urls, options);
  await locks.acquire(name, { waitMs });
  return nowMs();
});
