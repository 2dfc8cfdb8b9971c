import { setTimeout as sleep } from "node:timers/promises";
import { DelayedError, Queue, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import { LockManager } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
const locks = new LockManager(nodes);
const connection = new Redis("redis://127.0.0.1:7001", { maxRetriesPerRequest: null });

let [running, most, done] = [0, 0, 0];
const queue = new Queue<{ tenant: string }>("mails", { connection });
const worker = new Worker<{ tenant: string }>("mails", processJob, { connection, concurrency: 10 });

/** At most two jobs of a tenant at once, across all workers. */
async function processJob(job: Job<{ tenant: string }>, token?: string): Promise<void> {
  const permit = await locks.semaphore(`mails:${job.data.tenant}`, { permits: 2 }).tryAcquire();
  if (permit === null) {
    await job.moveToDelayed(Date.now() + 100, token); // then it is tried again
    throw new DelayedError();
  }
  try {
    await sendMail(permit.signal);
  } finally {
    await permit.release();
  }
}

async function sendMail(signal: AbortSignal): Promise<void> {
  most = Math.max(most, ++running);
  await sleep(100, undefined, { signal });
  running--;
}

const finished = new Promise<void>((resolve) => {
  worker.on("completed", () => {
    if (++done === 6) resolve();
  });
});
await queue.addBulk(Array.from({ length: 6 }, () => ({ name: "mail", data: { tenant: "a" } })));
await finished;
console.log(`${done} sent, at most ${most} at once`);
await worker.close();
await queue.close();
connection.disconnect();
await locks.close();
