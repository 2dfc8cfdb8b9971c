import { LockManager } from "../src/index.js";

// In Java: redisson.getLock("stock:7").lock(), on the same servers.
const locks = new LockManager(
  ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"],
  { layout: "redisson", keyPrefix: "" }, // Redisson adds no prefix to a name
);

await locks.request("stock:7", async (lock) => {
  console.log(`held, ${lock.isHeld}; no Redisson client holds it`);
});
await locks.close();
