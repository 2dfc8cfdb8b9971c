import { setTimeout as sleep } from "node:timers/promises";
import { Cron } from "croner";
import { LockManager } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
// Two instances of a service, here in one process.
const instances = [new LockManager(nodes), new LockManager(nodes)];
await Promise.all(instances.map((locks) => locks.ready()));

let [ranCount, skippedCount] = [0, 0];
const jobs = instances.map(
  (locks) =>
    new Cron("* * * * * *", { maxRuns: 1 }, async () => {
      const lock = await locks.tryAcquire("report", { minHoldMs: 5_000, waitMs: 1_000 });
      if (lock === null) return void skippedCount++; // another instance runs it
      await sendReport();
      ranCount++;
      await lock.release(); // the name stays locked for the rest of the 5 s
    }),
);
while (ranCount + skippedCount < jobs.length) await sleep(50);
console.log(`${ranCount} ran it, ${skippedCount} did not`);

async function sendReport(): Promise<void> {}
await Promise.all(instances.map((locks) => locks.close()));
