import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

const lock = await locks.tryAcquire("rebuild:index");
if (lock === null) {
  console.log("another instance is on it");
} else {
  try {
    console.log("it is ours");
  } finally {
    console.log(await lock.release()); // "released", "expired" or "partial"
  }
}
await locks.close();
