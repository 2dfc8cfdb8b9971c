// A program that uses everything that the package exports: compiled here with the rest, and by
// types.test.ts against the built package by the oldest and the newest compiler.
import { setTimeout as sleep } from "node:timers/promises";
import {
  LockHeldError,
  LockLostError,
  LockManager,
  QuorateError,
  type AcquireOptions,
  type GivenLock,
  type Lock,
  type Locks,
  type LockManagerOptions,
  type LockReport,
  type ReleaseResult,
  type Term,
} from "../../src/index.js";
import { FenceGate, StaleTokenError, type FenceStore } from "../../src/fencing/index.js";
import Redlock, { type RedlockAbortSignal } from "../../src/integrations/redlock/index.js";
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

/** Whether two types are the same, and not only one like the other. */
type IsSame<A, B> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- how types are compared
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only where the type of the value is the type, neither narrower nor wider. */
function expectType<Expected>() {
  return <Actual>(_value: Actual, _isSame: IsSame<Actual, Expected>): void => {};
}

/** Every lock has a token, and it is a number: no guard, no `!`. */
export async function tokens(urls: string[], given: GivenLock): Promise<void> {
  const number = expectType<number>();
  const maybe = expectType<number | undefined>();

  const locks = new LockManager(urls, { ttlMs: 5_000 });
  number((await locks.acquire("a")).fencingToken, true);
  number((await locks.acquire("a", { waitMs: 5 })).fencingToken, true);
  maybe((await locks.tryAcquire("a"))?.fencingToken, true);
  number((await locks.adopt(given)).fencingToken, true);
  number(given.fencingToken, true);
  await locks.request("a", ({ fencingToken }) => number(fencingToken, true));
  await locks.request("a", { ifAvailable: true }, (lock) => maybe(lock?.fencingToken, true));
  number((await locks.semaphore("a", { permits: 2 }).acquire({ waitMs: 5 })).fencingToken, true);
  for await (const term of locks.elect("a")) number(term.fencingToken, true);
  // @ts-expect-error: what describes the network is the manager's,
  await locks.acquire("a", { nodeTimeoutMs: 5 }).catch(() => {});
  // @ts-expect-error: and what one piece of work wants of its lock is not.
  console.log(new LockManager(urls, { owner: "job" }).nodes);
  // @ts-expect-error: an option that does not exist is found.
  await locks.acquire("a", { ttl: 5 }).catch(() => {});
  const anyLock: Lock = await locks.acquire("a");
  const anyLocks: Locks = locks;
  console.log(anyLock.name, anyLocks.nodes);
}

/** A double of a lock. */
class FakeLock implements Lock {
  readonly names = ["invoice:42"];
  readonly name = "invoice:42";
  readonly mode = "exclusive";
  readonly owner = undefined;
  readonly permit = undefined;
  readonly permits = undefined;
  readonly ownerId = "nobody's secret";
  readonly fencingToken = 7;
  readonly remainingMs = 10_000;
  readonly validUntil = new Date();
  readonly signal = new AbortController().signal;
  isHeld = true;
  assertHeld(): void {
    if (!this.isHeld) throw new LockLostError(this.name, "expired");
  }
  async extend(): Promise<void> {}
  async release(): Promise<ReleaseResult> {
    this.isHeld = false;
    return "released";
  }
  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
  handOver(): never {
    throw new Error("not in this test");
  }
  toJSON(): ReturnType<Lock["toJSON"]> {
    const { name, mode, fencingToken, isHeld } = this;
    return { name, mode, fencingToken, isHeld };
  }
}

/** A double of what a program asks of a lock manager. */
export class FakeLocks implements Pick<Locks, "acquire" | "tryAcquire" | "request"> {
  async acquire(): Promise<Lock> {
    return new FakeLock();
  }
  async tryAcquire(): Promise<Lock | null> {
    return null;
  }
  async request<T>(_name: string | readonly string[], ...rest: unknown[]): Promise<Awaited<T>> {
    const callback = rest.at(-1) as (lock: Lock) => T;
    return await callback(new FakeLock());
  }
}

/** Takes either. */
export function charge(locks: Pick<Locks, "request">): Promise<number> {
  return locks.request("invoice:42", { waitMs: 1_000 }, (lock) => lock.fencingToken);
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
  const report: LockReport = await locks.inspect("invoice:42");
  const { pending } = await locks.query();
  const result = await locks.request(
    "invoice:42",
    { ifAvailable: true },
    (lock) => lock?.name ?? "",
  );
  const { length } = await locks
    .semaphore("pool", { permits: 3 })
    .request(async (permit) => permit.names);
  const given: GivenLock = (await locks.acquire("job")).handOver();
  const adopted = await locks.adopt(given, { ttlMs: 5_000 });
  locks.on("lost", ({ name, reason }) => console.log(name, reason));
  locks.on("node", ({ node, state }) => console.log(node, state));
  return [report.state, pending.length, result, length, adopted.name].join();
}

export function explain(error: unknown): string {
  if (error instanceof LockHeldError) return error.holderLabel ?? "somebody";
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
