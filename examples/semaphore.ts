import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
const gpus = locks.semaphore("gpu", { permits: 2, ttlMs: 10_000 });
let busyCount = 0;
let most = 0;

const train = (model: string): Promise<void> =>
  gpus.request(async (lock) => {
    most = Math.max(most, ++busyCount);
    await sleep(20); // on device number lock.permit, which no other holder has
    busyCount--;
    if (!lock.isHeld) console.log(`${model} ran for too long`);
  });

await Promise.all(["a", "b", "c", "d", "e"].map(train));
console.log(`${most} at most`);

await gpus.acquire();
await gpus.acquire();
console.log((await gpus.tryAcquire()) ?? "both are taken");
await locks.close();
