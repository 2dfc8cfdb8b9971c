import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import { FENCES_SQL, fenceQuery, staleOr } from "../src/fencing/index.js";
import { LockManager, type Lock } from "../src/index.js";

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const pool = new Pool({ max: 3 }); // from PGHOST, PGUSER ...
await locks.request("migrate", { waitMs: 60_000 }, async () => {
  await pool.query(FENCES_SQL);
  await pool.query(`CREATE TABLE IF NOT EXISTS payments (key text PRIMARY KEY, receipt text);
    CREATE TABLE IF NOT EXISTS charges (key text PRIMARY KEY, calls int)`);
});

/** Pays once for a key: the client makes one for a payment and sends it with every repetition. */
const pay = (key: string): Promise<string> =>
  // The lock is outside, the transactions are inside: it is released after COMMIT, not before.
  locks.request(`payment:${key}`, { waitMs: 30_000 }, async (lock) => {
    const known = await fenced(lock, async (db) => {
      const { rows } = await db.query("SELECT receipt FROM payments WHERE key = $1", [key]);
      return rows[0] as { receipt: string } | undefined;
    });
    if (known !== undefined) return known.receipt;
    // No transaction is open while the provider takes its time.
    const receipt = await charge(key, lock.signal);
    await fenced(lock, (db) => db.query("INSERT INTO payments VALUES ($1, $2)", [key, receipt]));
    return receipt;
  });

async function fenced<T>(lock: Lock, run: (db: PoolClient) => Promise<T>): Promise<T> {
  const db = await pool.connect();
  try {
    await db.query("BEGIN");
    await db.query(fenceQuery(lock)); // first: from now on, earlier holders are refused
    const result = await run(db);
    await db.query("COMMIT");
    return result;
  } catch (error) {
    await db.query("ROLLBACK");
    throw staleOr(lock, error);
  } finally {
    db.release();
  }
}

/** In place of the payment provider, which gets the same key, so it charges once. */
async function charge(key: string, signal: AbortSignal): Promise<string> {
  console.log(`${process.pid} charges ${key}`);
  await pool.query(
    "INSERT INTO charges VALUES ($1, 1) ON CONFLICT (key) DO UPDATE SET calls = charges.calls + 1",
    [key],
  );
  return await sleep(50, `receipt of ${key}`, { signal });
}

for (const key of ["a", "b", "c"]) console.log(`${process.pid} has the ${await pay(key)}`);
await pool.end();
await locks.close();
