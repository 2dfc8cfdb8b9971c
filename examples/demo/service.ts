// A service that needs the lock: a process of its own that knows the library, the nodes, and
// nothing of the other service. The demo gives it tasks and listens to what it reports.
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager, type Lock, type LockLostError } from "../../src/index.js";
import type { Order, Report, ServiceState, Task } from "./messages.js";
import { nowMs } from "./now.js";
import * as settings from "./settings.js";

const [name = "", ...urls] = process.argv.slice(2);

const locks = new LockManager(urls, {
  ttlMs: settings.TTL_MS,
  // Long: with two nodes dead, the other three have to answer every renewal.
  nodeTimeoutMs: settings.TTL_MS / 3,
  maxTtlMs: settings.MAX_TTL_MS,
  driftFactor: settings.DRIFT_FACTOR,
  waitMs: 60_000,
  retry: { maxDelayMs: 50 },
  label: name,
});

let task: Task = "rest";
let state: ServiceState = "starting";
let lock: Lock | undefined;
let onTask = (): void => {};

const report = (message: Report): void => {
  if (process.connected) process.send?.(message);
};

function reportStatus(): void {
  const isHeld = lock?.isHeld === true;
  report({
    kind: "status",
    atMs: nowMs(),
    state,
    token: lock?.fencingToken,
    validUntilMs: isHeld ? nowMs() + (lock?.remainingMs ?? 0) : undefined,
    nodes: locks.nodes.map(({ state, quarantineLeftMs }) => ({ state, quarantineLeftMs })),
  });
}

/** What the lock protects. The store compares the token; the service asks the clock first. */
function write(held: Lock): void {
  held.assertHeld();
  report({ kind: "write", token: held.fencingToken ?? 0 });
}

async function work(held: Lock): Promise<void> {
  const sinceMs = nowMs();
  report({ kind: "granted", token: held.fencingToken ?? 0, atMs: sinceMs });
  state = "holding";
  held.signal.addEventListener("abort", () => {
    const atMs = nowMs();
    const { reason } = held.signal.reason as LockLostError;
    report({ kind: "lost", reason, atMs });
    state = "lost";
    task = "rest";
  });
  const isWanted = (): boolean =>
    task === "hold" || (task === "contend" && nowMs() - sinceMs < settings.HOLD_MS);
  try {
    do {
      write(held);
      await sleep(settings.WRITE_EVERY_MS, undefined, { signal: held.signal });
    } while (isWanted());
  } catch (error) {
    if (held.signal.aborted) return;
    throw error;
  }
  state = "idle";
  report({ kind: "released", atMs: nowMs() });
  await held.release();
}

async function run(): Promise<never> {
  await locks.ready();
  state = "idle";
  setInterval(reportStatus, settings.LOOK_EVERY_MS);
  for (;;) {
    if (task === "rest") {
      await new Promise<void>((resolve) => {
        onTask = resolve;
      });
      continue;
    }
    state = "waiting";
    lock = await locks.acquire(settings.LOCK_NAME);
    await work(lock);
    await sleep(settings.PAUSE_MS);
  }
}

process.on("message", (order: Order) => {
  if (order.kind === "writeLate") {
    report({ kind: "write", token: lock?.fencingToken ?? 0 });
  } else {
    task = order.task;
    onTask();
  }
});
// The demo ends its services: Ctrl-C reaches them too, and must not look like a crash.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit());
await run();
