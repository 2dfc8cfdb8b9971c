import { Cluster } from "ioredis";
import { isOnClusters } from "../contended/plan.js";
import { LockManager } from "../../src/index.js";
import type { Acquire } from "./acquire.js";
import { TTL_MS } from "./subject.js";

export async function acquireQuorate(
  subjectName: string,
  urls: readonly string[],
): Promise<Acquire> {
  const fair = subjectName === "quorate-fair";
  const nodes = isOnClusters(subjectName)
    ? urls.map((url) => new Cluster([url], { lazyConnect: true }))
    : urls;
  const locks = new LockManager(nodes, { ttlMs: TTL_MS, waitMs: 600_000, fair });
  await locks.ready();
  return async (name) => {
    const lock = await locks.acquire(name);
    return () => lock.release();
  };
}
