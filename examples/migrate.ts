import { Client } from "pg";
import { FENCES_SQL, fenceQuery } from "../src/fencing/index.js";
import { LockManager } from "../src/index.js";

const MIGRATIONS = [
  "CREATE TABLE accounts (id int PRIMARY KEY, cents bigint NOT NULL)",
  "INSERT INTO accounts SELECT i, 0 FROM generate_series(1, 1000) i",
  "ALTER TABLE accounts ADD COLUMN currency text NOT NULL DEFAULT 'EUR'",
];

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const db = new Client(); // from PGHOST, PGUSER ...
await db.connect();

await locks.request("migrate", { waitMs: 10 * 60_000 }, async (lock) => {
  await db.query(FENCES_SQL);
  await db.query("CREATE TABLE IF NOT EXISTS migrations (id int PRIMARY KEY)");
  // Under the lock: those that waited find what the first has done.
  const { rows } = await db.query<{ id: number }>("SELECT id FROM migrations");
  for (const [id, sql] of MIGRATIONS.entries()) {
    if (rows.some((row) => row.id === id)) continue;
    console.log(`${process.pid} migrates ${id}`);
    // All or nothing. A connection that is lost, as in a crash, rolls it back.
    await db.query("BEGIN");
    await db.query(fenceQuery(lock)); // first: from now on, earlier holders are refused
    await db.query(sql);
    await db.query("INSERT INTO migrations VALUES ($1)", [id]);
    await db.query("COMMIT");
  }
});

console.log(`${process.pid} starts the service`);
await db.end();
await locks.close();
