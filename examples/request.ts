import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

const rows = await locks.request("invoice:42", { waitMs: 5_000 }, async (lock) => {
  // One process at a time is here. Pass lock.signal on to what can be cancelled: it aborts if the lock is lost.
  lock.assertHeld(); // before every write, which gets lock.fencingToken as well
  return ["one", "two"];
});
console.log(`${rows.length} rows`);

await locks.close(); // without it the connections keep the process alive
