import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort()); // the next leader takes over at once
let rounds = 0;

for await (const term of locks.elect("scheduler", {
  ttlMs: 5_000, // how long nobody leads when the leader dies
  signal: stop.signal,
  onError: (error) => console.error(`no leader to be had: ${error.message}`),
})) {
  console.log(`leading, token ${term.fencingToken}`);
  while (term.isHeld) await runDueJobs(term.signal);
} // resigned here, however the body ends; then the next campaign

console.log("not leading any more");
await locks.close();

async function runDueJobs(signal: AbortSignal): Promise<void> {
  await sleep(20, undefined, { signal }).catch(() => {}); // stops when the term is over
  if (++rounds === 3) stop.abort(); // so that this example ends
}
