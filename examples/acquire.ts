import { LockHeldError, LockManager, NoQuorumError } from "../src/index.js";

await using locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

try {
  await using lock = await locks.acquire("stock:teapot", { ttlMs: 5_000, waitMs: 1_000 });
  console.log(`held, token ${lock.fencingToken}, ${Math.round(lock.remainingMs)} ms left`);
  lock.assertHeld(); // before every write: throws if the lock was lost
  // Renewed every third of the ttl, released at the end of this block.
} catch (error) {
  if (error instanceof LockHeldError) console.log(`busy: ${error.holderLabel} has it`);
  else if (error instanceof NoQuorumError) console.log(`no quorum: ${error.message}`);
  else throw error;
}
