import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const api = locks.semaphore("api.example.com", { permits: 3, waitMs: 60_000 });

/** Waits until fewer than three calls are under way, in all processes together. */
const geocode = (address: string): Promise<string> =>
  api.request(async (permit) => {
    console.log(`${process.pid} begins ${address}`);
    const place = await call(address, permit.signal);
    console.log(`${process.pid} ends ${address}`);
    return place;
  });

// fetch(url, { signal })
async function call(address: string, signal: AbortSignal): Promise<string> {
  return await sleep(50, `place of ${address}`, { signal });
}

await Promise.all(["a", "b", "c", "d", "e", "f"].map(geocode));
await locks.close();
