// A client process of a campaign. crew.ts forks it; it exits by itself when it is told to finish.
import { LockManager } from "../../src/index.js";
import { clockSince } from "../clock.js";
import { Journal } from "../history/journal.js";
import type { ClientRecord } from "../history/records.js";
import { Logbook } from "./logbook.js";
import type { Counts, FromClient, Job, ToClient } from "./messages.js";
import { StoreClient } from "./store-client.js";
import { Worker } from "./worker.js";

const COUNTS_EVERY_MS = 250;

const send = (message: FromClient): void => {
  // A closed channel means that the parent is gone; this process then ends as well.
  if (process.connected) process.send?.(message);
};

let onMessage: ((message: ToClient) => void) | undefined;

process.on("message", (message: ToClient) => {
  if (message.kind === "job") void run(message);
  else onMessage?.(message);
});
process.once("disconnect", () => process.exit(1));

async function run(job: Job): Promise<void> {
  const journal = new Journal<ClientRecord>(job.journal);
  const logbook = new Logbook(job.process, clockSince(BigInt(job.startNs)), journal);
  const locks = new LockManager(job.nodes, {
    ttlMs: job.ttlMs,
    maxTtlMs: job.maxTtlMs,
    nodeTimeoutMs: job.nodeTimeoutMs,
    driftFactor: job.driftFactor,
    clockStepMs: job.clockStepMs,
    quarantine: job.quarantine ? "auto" : "off",
    label: job.process,
    retry: { minDelayMs: 5, maxDelayMs: 120 },
  });
  // The nemesis's own history covers these; a real client would log them.
  locks.on("warning", () => {});
  const stores = new StoreClient(send);
  const worker = new Worker(job, locks, logbook, stores, () => {
    send({ kind: "stopping" });
    stopHere();
  });
  onMessage = (message) => {
    if (message.kind === "store") stores.onReply(message);
    else if (message.kind === "stopAfterCheck") worker.stopAfterCheck();
    else if (message.kind === "finish") worker.finish();
  };
  const timer = setInterval(() => tellCounts(worker.takeCounts()), COUNTS_EVERY_MS);
  await worker.run();
  clearInterval(timer);
  tellCounts(worker.takeCounts());
  logbook.process("closing");
  await locks.close();
  logbook.close();
  journal.close();
  process.removeAllListeners("disconnect");
  process.disconnect();
}

function tellCounts(counts: Omit<Counts, "kind">): void {
  send({ kind: "counts", ...counts });
}

/** Stops this process. It continues after this line when its parent resumes it. */
function stopHere(): void {
  const startMs = performance.now();
  process.kill(process.pid, "SIGSTOP");
  // The signal may take a moment to reach this thread.
  while (performance.now() - startMs < 5);
}
