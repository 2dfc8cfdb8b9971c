import { setTimeout as sleep } from "node:timers/promises";
import type { LockClient } from "../subjects/subject.js";
import { errorName } from "./settle.js";
import { LOCK_NAME } from "./stage.js";

/** The results of the attempts. */
export interface Tries {
  readonly grantedAfterMs: number | undefined;
  readonly tryCount: number;
  readonly lastError: string | undefined;
}

/** Attempts one after the other, ten times per second, for one ttl. */
export async function tryFor(
  client: LockClient,
  ttlMs: number,
  afterMs: () => number,
): Promise<Tries> {
  let lastError: string | undefined;
  let tryCount = 0;
  while (afterMs() < ttlMs) {
    tryCount++;
    try {
      const grant = await client.tryAcquire(LOCK_NAME, ttlMs);
      if (grant !== undefined) return { grantedAfterMs: afterMs(), tryCount, lastError };
    } catch (error) {
      lastError = errorName(error);
    }
    await sleep(100);
  }
  return { grantedAfterMs: undefined, tryCount, lastError };
}
