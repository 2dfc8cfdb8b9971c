import { Client } from "pg";
import {
  assertWritten,
  FENCES_SQL,
  fencedUpsert,
  fenceQuery,
  staleOr,
  type Grant,
} from "../src/fencing/index.js";
import { LockManager } from "../src/index.js";

await using locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
const db = new Client(); // from PGHOST, PGUSER ...
await db.connect();
await db.query(FENCES_SQL); // once, in a migration
await db.query(`CREATE TABLE IF NOT EXISTS invoices
  (id int PRIMARY KEY, status text, fence bigint NOT NULL DEFAULT 0)`);

// A row with its own fence column: one statement.
const setStatus = async (grant: Grant, status: string): Promise<void> => {
  const row = { table: "invoices", key: { id: 42 }, set: { status } };
  assertWritten(grant, await db.query(fencedUpsert(grant, row)));
};

// Any transaction: check the fence first.
const transact = async <T>(grant: Grant, run: () => Promise<T>): Promise<T> => {
  await db.query("BEGIN");
  try {
    await db.query(fenceQuery(grant));
    const result = await run();
    await db.query("COMMIT");
    return result;
  } catch (error) {
    await db.query("ROLLBACK");
    throw staleOr(grant, error);
  }
};

const lock = await locks.acquire("invoice:42");
await setStatus(lock, "paid");
const status = await transact(lock, async () => {
  const { rows } = await db.query("SELECT status FROM invoices WHERE id = 42");
  await db.query("UPDATE invoices SET status = 'sent' WHERE id = 42");
  return rows[0].status;
});
console.log(`was ${status}`);
await lock.release();

// Once a later holder has shown its token, the earlier holder is too late.
const next = await locks.acquire("invoice:42");
await setStatus(next, "void");
await transact(next, async () => {});
for (const late of [setStatus(lock, "paid"), transact(lock, () => setStatus(lock, "paid"))]) {
  await late.catch((error) => console.log(error.code));
}
await next.release();
await db.end();
