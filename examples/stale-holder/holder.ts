/**
 * The first holder of ../stale-holder.ts, a process of its own: takes 30 from the account, and is
 * paused between its last check and its write. Arguments: with or without `fenced`, then the nodes.
 */
import { Redis } from "ioredis";
import { RedisFence } from "../../src/fencing/index.js";
import { LockManager } from "../../src/index.js";

const [mode, ...nodes] = process.argv.slice(2);
const store = new Redis(nodes[0] ?? "");
const fence = new RedisFence(store);
const locks = new LockManager(nodes);

const lock = await locks.acquire("account", { ttlMs: 3_000 });
const isFenced = mode === "fenced";
const read = isFenced ? (await fence.run(lock, ["GET", "account"]))[0] : await store.get("account");
const balance = Number(read);

await say(`reads ${balance} and is paused`);
lock.assertHeld(); // and it is held; but between this line and the write ...
process.kill(process.pid, "SIGSTOP"); // ... the process stands still, for longer than the lease

try {
  if (isFenced) await fence.run(lock, ["SET", "account", balance - 30]);
  else await store.set("account", balance - 30);
  await say(`wakes up and writes ${balance - 30}`);
} catch (error) {
  await say(`wakes up and is rejected: ${(error as { code?: string }).code}`);
}

store.disconnect();
await locks.close();
process.disconnect();

function say(what: string): Promise<void> {
  return new Promise((resolve) => process.send?.(what, () => resolve()));
}
