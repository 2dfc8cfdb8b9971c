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
  type LockDescription,
  type Locks,
  type LockManagerOptions,
  type LockReport,
  type ReleaseResult,
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

/** Whether two types are the same, and not only one like the other. */
type IsSame<A, B> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- how types are compared
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only where the type of the value is the type, neither narrower nor wider. */
function expectType<Expected>() {
  return <Actual>(_value: Actual, _isSame: IsSame<Actual, Expected>): void => {};
}

/** Where fencing is on, as it is by default, a token is a number: no guard, no `!`. */
export async function tokens(urls: string[], isFenced: boolean, given: GivenLock): Promise<void> {
  const number = expectType<number>();
  const none = expectType<undefined>();
  const either = expectType<number | undefined>();

  const fenced = new LockManager(urls, { ttlMs: 5_000 });
  const off = { fencing: false } as const;
  number((await fenced.acquire("a")).fencingToken, true);
  number((await fenced.acquire("a", { waitMs: 5 })).fencingToken, true);
  number((await fenced.acquire("a", { fencing: true })).fencingToken, true);
  none((await fenced.acquire("a", { fencing: false, waitMs: 5 })).fencingToken, true);
  either((await fenced.acquire("a", { fencing: isFenced })).fencingToken, true);
  either((await fenced.tryAcquire("a"))?.fencingToken, true);
  none((await fenced.adopt(given, off)).fencingToken, true);
  number((await fenced.adopt(given)).fencingToken, true);
  await fenced.request("a", ({ fencingToken }) => number(fencingToken, true));
  await fenced.request("a", off, ({ fencingToken }) => none(fencingToken, true));
  await fenced.request("a", { ifAvailable: true }, (lock) => either(lock?.fencingToken, true));
  number((await fenced.semaphore("a", { permits: 2 }).acquire({ waitMs: 5 })).fencingToken, true);
  none((await fenced.semaphore("a", { permits: 2, fencing: false }).acquire()).fencingToken, true);
  for await (const term of fenced.elect("a")) number(term.fencingToken, true);
  for await (const term of fenced.elect("a", off)) none(term.fencingToken, true);

  const bare = new LockManager(urls, { fencing: false });
  none((await bare.acquire("a")).fencingToken, true);
  none((await bare.acquire("a", { waitMs: 5 })).fencingToken, true);
  number((await bare.acquire("a", { fencing: true })).fencingToken, true);
  await bare.request("a", ({ fencingToken }) => none(fencingToken, true));
  for await (const term of bare.elect("a")) none(term.fencingToken, true);
  // @ts-expect-error: a lock without a token is no lock with one,
  const lock: Lock = await bare.acquire("a");
  // @ts-expect-error: nor is a manager of such locks one of the others.
  const manager: LockManager = bare;
  // @ts-expect-error: and so for what is asked of it.
  const locks: Locks = bare;
  const anyLock: Lock = await fenced.acquire("a");
  const anyLocks: Locks[] = [fenced, bare, new LockManager(urls, { fencing: isFenced })];
  either((await new LockManager(urls, { fencing: isFenced }).acquire("a")).fencingToken, true);
  // @ts-expect-error: an option that does not exist is found, whatever is inferred beside it.
  await fenced.acquire("a", { fencing: false, ttl: 5 }).catch(() => {});
  console.log(lock.name, manager.nodes, locks.nodes, anyLock.name, anyLocks.length);
}

/** A double of a lock. */
class FakeLock implements Lock {
  readonly names = ["invoice:42"];
  readonly name = "invoice:42";
  readonly mode = "exclusive";
  readonly owner = undefined;
  readonly permit = undefined;
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
  toJSON(): LockDescription {
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
