import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { FENCES_SQL, fenceQuery, staleOr } from "../src/fencing/index.js";
import { LockManager, type Lock } from "../src/index.js";

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const db = new Client(); // from PGHOST, PGUSER ...
await db.connect();
await locks.request("migrate", { waitMs: 60_000 }, async () => {
  await db.query(FENCES_SQL);
  await db.query(`CREATE TABLE IF NOT EXISTS jobs (id int PRIMARY KEY, tenant text, runs int);
    INSERT INTO jobs SELECT i, 'tenant-' || i % 3, 0 FROM generate_series(1, 9) i
    ON CONFLICT DO NOTHING`);
});

/** A service would also wait for new jobs; this one ends when all are done. */
for (let open = await openJobs(); open.length > 0; open = await openJobs()) {
  for (const tenant of new Set(open.map((job) => job.tenant))) {
    const lock = await locks.tryAcquire(`jobs:${tenant}`);
    if (lock === null) continue; // another worker is on it
    try {
      await workFor(tenant, lock);
    } finally {
      await lock.release();
    }
  }
  await sleep(100);
}
await db.end();
await locks.close();

async function openJobs(): Promise<readonly { id: number; tenant: string }[]> {
  return (await db.query("SELECT id, tenant FROM jobs WHERE runs = 0 ORDER BY id")).rows;
}

async function workFor(tenant: string, lock: Lock): Promise<void> {
  // Under the lock: some may have been done since.
  const open = await fenced(lock, openJobs);
  for (const { id } of open.filter((job) => job.tenant === tenant)) {
    console.log(`${process.pid} works for ${tenant} on job ${id}`);
    await sleep(50, undefined, { signal: lock.signal }); // after a crash, this happens again
    await fenced(lock, () => db.query("UPDATE jobs SET runs = runs + 1 WHERE id = $1", [id])); // this does not
  }
}

async function fenced<T>(lock: Lock, run: () => Promise<T>): Promise<T> {
  await db.query("BEGIN");
  try {
    await db.query(fenceQuery(lock)); // first: from now on, earlier holders are refused
    const result = await run();
    await db.query("COMMIT");
    return result;
  } catch (error) {
    await db.query("ROLLBACK");
    throw staleOr(lock, error);
  }
}
