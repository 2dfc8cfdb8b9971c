import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { LockManager, QuorateError } from "../src/index.js";

const LIFE_S = 60;

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const cache = new Redis(process.env["CACHE_URL"] ?? "redis://127.0.0.1:6379");
/** One for each key: callers in this process share it, and it competes with those of other processes. */
const underWay = new Map<string, Promise<string>>();

function cached(key: string): Promise<string> {
  const started = underWay.get(key) ?? read(key).finally(() => underWay.delete(key));
  underWay.set(key, started);
  return started;
}

async function read(key: string): Promise<string> {
  const found = await cache.get(key);
  if (found !== null) return found;
  try {
    return await locks.request(`refill:${key}`, { waitMs: 10_000 }, async () => {
      // Another process may have filled it while this one waited.
      return (await cache.get(key)) ?? (await fill(key));
    });
  } catch (error) {
    if (error instanceof QuorateError) return await fill(key); // twice is better than not at all
    throw error;
  }
}

async function fill(key: string): Promise<string> {
  const value = await compute(key);
  // Up to a fifth longer: entries that were filled together do not expire together.
  await cache.set(key, value, "EX", Math.ceil(LIFE_S * (1 + Math.random() / 5)));
  return value;
}

async function compute(key: string): Promise<string> {
  console.log(`${process.pid} computes ${key}`);
  return await sleep(50, `${key} of ${process.pid}`);
}

const values = await Promise.all(["news", "prices", "news", "prices"].map(cached));
console.log(`${process.pid} has ${values.join(", ")}`);
cache.disconnect();
await locks.close();
