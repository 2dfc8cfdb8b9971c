import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
const balance = { a: 100, b: 0 };

// Each of these can be called alone, and by code that already holds the lock.
const add = (account: "a" | "b", amount: number): Promise<void> =>
  locks.request("accounts", { reentrant: true }, (lock) => {
    balance[account] += amount;
    console.log(`${account}: ${balance[account]}, ${lock.isHeld ? "held" : "not held"}`);
  });

const transfer = (amount: number): Promise<void> =>
  locks.request("accounts", { reentrant: true }, async () => {
    await add("a", -amount); // joins: the same lock, the same fencing token
    await add("b", amount);
    console.log(`others ${(await isFree()) ? "could interfere" : "must wait"}`);
  });

const isFree = async (): Promise<boolean> => {
  const lock = await locks.tryAcquire("accounts"); // without the option: a separate lock
  await lock?.release();
  return lock !== null;
};

await transfer(30);
await add("b", 5); // alone: acquires and releases
console.log((await isFree()) ? "free" : "held");
await locks.close();
