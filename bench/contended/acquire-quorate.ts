import { LockManager } from "../../src/index.js";
import { TTL_MS } from "../subjects/subject.js";
import type { Acquire } from "./contention.js";

export async function acquireQuorate(
  subjectName: string,
  urls: readonly string[],
): Promise<Acquire> {
  const fair = subjectName === "quorate-fair";
  const locks = new LockManager(urls, { ttlMs: TTL_MS, waitMs: 600_000, fair });
  await locks.ready();
  return async () => {
    const lock = await locks.acquire("contended");
    return () => lock.release();
  };
}
