import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

// A scheduled job on two machines whose clocks differ by 100 ms.
const runJob = async (machine: string): Promise<void> => {
  const lock = await locks.tryAcquire("job:midnight", { minHoldMs: 1_000, waitMs: 200 });
  console.log(`${machine}: ${lock === null ? "held by another" : "runs"}`);
  await lock?.release(); // after a few ms; the name stays locked for the rest of the second
};
await runJob("early clock");
await sleep(100);
await runJob("late clock");

// A holder that hangs, writing to a store that cannot check a fencing token.
let isWritten = false;
const lock = await locks.acquire("ledger", { maxHoldMs: 50, lockDelayMs: 2_000 });
void sleep(100).then(() => (isWritten = true)); // in flight when the lock is lost
await once(lock.signal, "abort");
console.log(`lost: ${(await locks.tryAcquire("ledger")) === null ? "closed" : "open"}`);
await sleep(100);
console.log(isWritten ? "the late write arrived, and nobody else had started" : "in flight");

await locks.close();
