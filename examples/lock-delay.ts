import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

// A job on a schedule, on two machines whose clocks differ by 100 ms.
const runJob = async (machine: string): Promise<void> => {
  const lock = await locks.tryAcquire("job:midnight", { minHoldMs: 1_000 });
  console.log(`${machine}: ${lock === null ? "another has it" : "runs"}`);
  await lock?.release(); // it took no time, and keeps the others out for the rest of the second
};
await runJob("early clock");
await sleep(100);
await runJob("late clock");

// A routine that hangs, in front of a store that cannot check a fencing token.
let isWritten = false;
const lock = await locks.acquire("ledger", { maxHoldMs: 50, lockDelayMs: 2_000 });
void sleep(100).then(() => (isWritten = true)); // under way when the lock is lost
await once(lock.signal, "abort");
console.log(`lost: ${(await locks.tryAcquire("ledger")) === null ? "closed" : "another's"}`);
await sleep(100);
console.log(isWritten ? "the late write is there, and nobody has begun" : "still under way");

await locks.close();
