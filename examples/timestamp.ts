import { LockManager } from "../src/index.js";

// The old code: SETNX lock:stock:7 <end time in seconds>, and GETSET once that has passed.
const locks = new LockManager(
  ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"],
  { layout: "timestamp-seconds", keyPrefix: "lock:" },
);

await locks.request("stock:7", { ttlMs: 5_000 }, async (lock) => {
  console.log(`held, ${lock.isHeld}; the old code sees an unexpired lock`);
});
await locks.close();
