import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort()); // resigns: the next leader takes over at once
let rounds = 0;

for await (const term of locks.elect("scheduler", {
  ttlMs: 5_000, // how long there is no leader after a crash
  signal: stop.signal,
  onError: (error) => console.error(`no quorum, still trying: ${error.message}`),
})) {
  while (term.isHeld) {
    console.log(`${process.pid} leads, token ${term.fencingToken}`);
    await runDueJobs(term.signal).catch((error) => {
      if (!term.signal.aborted) throw error; // otherwise the end of the term cancelled it
    });
  }
} // The term is resigned here, however the body ends. Then the next campaign begins.

console.log(`${process.pid} does not lead any more`);
await locks.close();

async function runDueJobs(signal: AbortSignal): Promise<void> {
  await sleep(20, undefined, { signal }); // rejects when the term ends
  if (++rounds === 3) stop.abort(); // ends this example
}
