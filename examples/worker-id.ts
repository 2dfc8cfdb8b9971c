import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

/** More than the clocks of any two instances differ. */
const CLOCKS_DIFFER_MS = 500;

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const worker = await locks.semaphore("worker-id", { permits: 1_024 }).acquire({ waitMs: 60_000 });
const number = Number(worker.permit); // no other process has it at this time
console.log(`${process.pid} begins as ${number}`);
// The previous holder of the number may have used times that are still to come on this clock.
await sleep(CLOCKS_DIFFER_MS);

let [lastMs, count] = [0, 0];

/** Milliseconds, 10 bits for the number of the worker, 12 to count within a millisecond. */
function nextId(): bigint {
  worker.assertHeld(); // throws if another process may have the number
  const nowMs = Math.max(Date.now(), lastMs);
  count = nowMs === lastMs ? count + 1 : 0;
  if (count < 4_096) lastMs = nowMs;
  else [lastMs, count] = [nowMs + 1, 0];
  return (BigInt(lastMs) << 22n) | (BigInt(number) << 12n) | BigInt(count);
}

const ids = Array.from({ length: 100 }, nextId);
console.log(`${process.pid} issued ${ids.join(" ")}`);
console.log(`${process.pid} ends as ${number}`);
await worker.release();
await locks.close();
