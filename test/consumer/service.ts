// A program that uses everything that the package exports: compiled here with the rest, and by
// types.test.ts against the built package by the oldest and the newest compiler.
import { setTimeout as sleep } from "node:timers/promises";
import {
  LockContendedError,
  LockLostError,
  LockManager,
  QuorateError,
  type AcquireOptions,
  type GivenLock,
  type Lock,
  type LockManagerOptions,
  type LockReport,
  type Term,
} from "../../src/index.js";
import { FenceGate, StaleTokenError, type FenceStore } from "../../src/fencing/index.js";
import Redlock, { type RedlockAbortSignal } from "../../src/redlock/index.js";
import { RedisFleet, type RedisServer, type TcpLink } from "../../src/testing/index.js";

export async function pay(locks: LockManager, options: AcquireOptions): Promise<number> {
  const lock: Lock = await locks.acquire(["invoice:42", "account:7"], options);
  try {
    lock.assertHeld();
    await Promise.race([
      sleep(10),
      new Promise((resolve) => lock.signal.addEventListener("abort", resolve)),
    ]);
    return lock.remainingMs;
  } finally {
    await lock.release();
  }
}

export async function lead(locks: LockManager, signal: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const term of locks.elect("scheduler", {
    signal,
    onError: ({ code }) => names.push(code),
  })) {
    const each: Term = term;
    names.push(each.name);
    if (each.isHeld) break;
  }
  return names;
}

export async function ask(locks: LockManager): Promise<string> {
  const report: LockReport = await locks.query("invoice:42");
  const { pending } = await locks.query();
  const result = await locks.request(
    "invoice:42",
    { ifAvailable: true },
    (lock) => lock?.name ?? "",
  );
  const { length } = await locks
    .semaphore("pool", { permits: 3 })
    .request(async (permit) => permit.names);
  const given: GivenLock = (await locks.acquire("job")).toJSON();
  const adopted = await locks.adopt(given, { ttlMs: 5_000 });
  locks.on("lost", ({ name, reason }) => console.log(name, reason));
  locks.on("node", ({ node, state }) => console.log(node, state));
  return [report.state, pending.length, result, length, adopted.name].join();
}

export function explain(error: unknown): string {
  if (error instanceof LockContendedError) return error.holderLabel ?? "somebody";
  if (error instanceof LockLostError) return error.reason;
  if (error instanceof StaleTokenError) return String(error.fence);
  return error instanceof QuorateError ? error.code : "another's";
}

export async function main(options: LockManagerOptions, store: FenceStore): Promise<void> {
  await using fleet = await RedisFleet.start({ nodes: 3, links: true });
  await using locks = new LockManager(fleet.urls, options);
  const link: TcpLink | undefined = fleet.nodes[0]?.link;
  link?.delay(5, { jitterMs: 1 });
  const servers: readonly RedisServer[] = fleet.nodes;
  await locks.ready({ all: true });
  await new FenceGate({ store }).run(await locks.acquire("a"), () => servers.length);
  const redlock = new Redlock([], { retryCount: 0 });
  await redlock.using(["a"], 5_000, async (signal: RedlockAbortSignal) => signal.aborted);
  await redlock.quit();
}
