import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

const total = await locks.request("invoice:42", { waitMs: 5_000 }, async (lock) => {
  const rows = await loadRows(lock.signal); // stops if the lock is lost
  lock.assertHeld(); // the last check before something that matters
  return rows.length;
});
console.log(`${total} rows`);

await locks.close(); // releases what is held; without it the connections keep the process alive

async function loadRows(signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  return ["one", "two"];
}
