import { fork } from "node:child_process";
import { once } from "node:events";
import { Redis } from "ioredis";
import { RedisFence } from "../src/fencing/index.js";
import { LockManager } from "../src/index.js";

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
await using locks = new LockManager(nodes);
const store = new Redis(nodes[0] ?? ""); // the protected data; any other server would do
const fence = new RedisFence(store);

for (const mode of ["without a fence", "fenced"]) {
  console.log(mode);
  await store.set("account", 100);

  // The first holder takes the lock, reads the balance, and is stopped before it writes.
  const program = new URL("stale-holder/holder.js", import.meta.url);
  const first = fork(program, [mode, ...nodes], { execArgv: [] });
  process.once("exit", () => first.kill("SIGKILL"));
  console.log(`  first holder ${(await once(first, "message"))[0]}`);

  // The second holder waits until the first one's lease ends, since nobody renews it.
  const lock = await locks.acquire("account");
  const isFenced = mode === "fenced";
  const read = isFenced
    ? (await fence.run(lock, ["GET", "account"]))[0]
    : await store.get("account");
  const balance = Number(read);
  if (isFenced) await fence.run(lock, ["SET", "account", balance + 50]);
  else await store.set("account", balance + 50);
  console.log(`  second holder reads ${balance} and writes ${balance + 50}`);
  await lock.release();

  // The first holder resumes where it was stopped: with its write.
  first.kill("SIGCONT");
  console.log(`  first holder ${(await once(first, "message"))[0]}`);
  console.log(`  balance: ${await store.get("account")}`);
  await once(first, "exit");
}
store.disconnect();
