import { setTimeout as sleep } from "node:timers/promises";
import { Cron } from "croner";
import { closeOnSignals, type Lock, LockManager } from "../src/index.js";

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);

/** On each machine. */
const daily = new Cron("0 3 * * *", { catch: console.error }, async () => {
  const options = { ttlMs: 60_000, minHoldMs: 30_000, waitMs: 5_000 };
  const lock = await locks.tryAcquire("report:daily", options);
  if (lock === null) return; // another machine runs it
  try {
    await sendReport(lock);
  } finally {
    await lock.release(); // the name stays closed for the rest of the 30 s
  }
});
closeOnSignals(locks, { before: () => daily.stop() });

async function sendReport(lock: Lock): Promise<void> {
  console.log(`${process.pid} runs ${lock.name}`);
  await sleep(20, undefined, { signal: lock.signal });
}
