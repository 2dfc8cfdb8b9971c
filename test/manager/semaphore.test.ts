import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  ClosedError,
  LockManager,
  type PermitOptions,
  type Semaphore,
  type SemaphoreOptions,
} from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { KnownSizes } from "../../src/manager/known-sizes.js";
import type { Acquirer } from "../../src/manager/acquirer.js";
import { PermitSemaphore } from "../../src/manager/semaphore.js";
import { resolveManagerOptions } from "../../src/options/resolve.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";

/** Nothing listens there: what is wrong must be found before anybody is asked. */
const NODES = ["redis://127.0.0.1:1"];

describe("LockManager.semaphore", () => {
  let locks: LockManager;
  before(() => {
    locks = new LockManager(NODES);
  });
  after(() => locks.close());

  it("says what it is", () => {
    const semaphore = locks.semaphore("gpu", { permits: 1_000, ttlMs: 5_000 });
    expect(semaphore).to.include({ name: "gpu", permits: 1_000 });
  });

  const REFUSED: readonly (readonly [string, unknown, typeof Error, RegExp])[] = [
    ["no permits", { permits: 0 }, RangeError, /`permits` must be from 1 to 10000, got 0/],
    ["too many", { permits: 10_001 }, RangeError, /`permits` must be from 1 to 10000, got 10001/],
    ["a part of one", { permits: 2.5 }, RangeError, /`permits` must be an integer.*got 2\.5/],
    ["NaN", { permits: Number.NaN }, TypeError, /`permits` must be a number, got NaN/],
    ["a text", { permits: "4" }, TypeError, /`permits` must be a number, got "4"/],
    ["none given", {}, TypeError, /`permits` must be a number, got undefined/],
    ["no options", undefined, TypeError, /options must be .* \{ permits: 10 \}, got undefined/],
    ["null", null, TypeError, /options must be .* \{ permits: 10 \}, got null/],
    ["a number", 5, TypeError, /options must be an object such as \{ permits: 10 \}, got 5/],
    ["a mode", { permits: 2, mode: "shared" }, TypeError, /`mode` is not an option here/],
    ["an unknown option", { permits: 2, ttl: 5 }, TypeError, /unknown option `ttl`/],
    ["a bad default", { permits: 2, ttlMs: 3 }, RangeError, /`ttlMs` must be at least 10 ms/],
  ];
  for (const [title, options, type, message] of REFUSED) {
    it(`refuses ${title} at once`, () => {
      expect(() => locks.semaphore("gpu", options as SemaphoreOptions)).to.throw(type, message);
    });
  }

  for (const [title, name, type] of [
    ["no name", undefined, TypeError],
    ["an empty name", "", RangeError],
    ["several names", ["a", "b"], TypeError],
  ] as const) {
    it(`refuses ${title} at once`, () => {
      expect(() => locks.semaphore(name as string, { permits: 2 })).to.throw(type, /`name`/);
    });
  }

  for (const [title, options, type, message] of [
    ["a mode", { mode: "shared" }, TypeError, /`mode` does not apply/],
    ["no permits", { permits: 0 }, RangeError, /`permits` must be from 1 to 10000, got 0/],
    ["null", null, TypeError, /options must be an object such as \{ ttlMs: 10_000 \}, got null/],
    ["a null in an option", { ttlMs: null }, TypeError, /`ttlMs` must not be null/],
    ["a bad ttl", { ttlMs: 9 }, RangeError, /`ttlMs` must be at least 10 ms/],
    ["an owner", { owner: "job" }, TypeError, /`owner` does not apply to a semaphore/],
    ["a pause of its own", { retry: { minDelayMs: 5 } }, TypeError, /`retry` .*the LockManager/],
  ] as const) {
    it(`every call refuses ${title}`, async () => {
      const semaphore = locks.semaphore("gpu", { permits: 2 });
      const given = options as PermitOptions;
      for (const call of [
        () => semaphore.acquire(given),
        () => semaphore.tryAcquire(given),
        () => semaphore.request(given, () => {}),
      ]) {
        expect((await rejectionWith(type, call())).message).to.match(message);
      }
    });
  }

  it("takes options that are not given", async () => {
    await using memory = new LockManager(memoryNodes(3));
    const semaphore = memory.semaphore("gpu", { permits: 2 });
    expect(await semaphore.request(undefined as never, ({ permit }) => permit)).to.equal(0);
  });

  it("shows numbers that nobody can change: they are released by them", async () => {
    await using memory = new LockManager(memoryNodes(3));
    await using lock = await memory.semaphore("gpu", { permits: 2 }).acquire();
    expect(() => (lock.permits as number[]).push(1)).to.throw(TypeError);
  });

  it("refuses a callback that is none", async () => {
    const semaphore = locks.semaphore("gpu", { permits: 2 });
    const error = await rejectionWith(TypeError, semaphore.request(7 as never));
    expect(error.message).to.match(/`callback` must be a function/);
  });

  it("takes its own wait as the default of acquire, and not of tryAcquire", async () => {
    const semaphore = locks.semaphore("gpu", { permits: 2, waitMs: 60_000 });
    const signal = AbortSignal.timeout(200);
    await rejectionWith(DOMException, semaphore.acquire({ signal }));
    expect(await codeOf(semaphore.tryAcquire())).to.equal("QUORATE_UNREACHABLE");
    expect(await codeOf(semaphore.acquire({ waitMs: 0 }))).to.equal("QUORATE_UNREACHABLE");
    const aborted = locks.semaphore("gpu", { permits: 2, signal: AbortSignal.abort("enough") });
    const reason: unknown = await aborted.acquire().catch((error: unknown) => error);
    expect(reason).to.equal("enough");
  });
});

describe("The options of a permit", () => {
  const DEFAULTS = { permits: 3, ttlMs: 5_000, label: "default", waitMs: 700, fair: true };

  /** What each call asks of the manager. */
  async function asked(
    given: PermitOptions,
  ): Promise<readonly (readonly [options: PermitOptions, isOnce: boolean])[]> {
    const all: (readonly [PermitOptions, boolean])[] = [];
    const settings = resolveManagerOptions({});
    const acquirer = {
      settings,
      sizes: new KnownSizes(),
      acquire: (_: unknown, options: PermitOptions, usual: unknown) => {
        all.push([options, usual === settings.once]);
        return Promise.reject(new Error("no"));
      },
    } as unknown as Acquirer;
    const semaphore = new PermitSemaphore(acquirer, keysOf("lock:", "gpu"), DEFAULTS);
    for (const call of [
      () => semaphore.acquire(given),
      () => semaphore.tryAcquire(given),
      () => semaphore.request(given, () => {}),
    ]) {
      expect(await call().catch((error: Error) => error.message)).to.equal("no");
    }
    return all;
  }

  const { permits: _, waitMs, ...others } = DEFAULTS;
  const CASES: readonly (readonly [given: PermitOptions, all: PermitOptions])[] = [
    [{}, {}],
    [{ ttlMs: undefined, label: undefined, waitMs: undefined, fair: undefined }, {}],
    [
      { ttlMs: 4_000, label: "", fair: false },
      { ttlMs: 4_000, label: "", fair: false },
    ],
    [{ maxHoldMs: 9 }, { maxHoldMs: 9 }],
  ];
  for (const [given, all] of CASES) {
    it(`are its own, or else those of the semaphore: ${Object.keys(given).join()}`, async () => {
      const waiting = { ...others, waitMs, ...all };
      expect(await asked(given)).to.deep.equal([
        [waiting, false],
        [{ ...others, ...all }, true],
        [waiting, false],
      ]);
    });
  }

  it("have a wait for a single attempt if it says so itself", async () => {
    for (const ownMs of [0, 5]) {
      const waits = (await asked({ waitMs: ownMs })).map(([options]) => options.waitMs);
      expect(waits).to.deep.equal([ownMs, ownMs, ownMs]);
    }
  });
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  return (error as { readonly code: string }).code;
}

describe("A call for permits that has to know how many there are", () => {
  const CALLS = [
    ["acquire", (of: Semaphore, options: PermitOptions) => of.acquire(options)],
    ["tryAcquire", (of: Semaphore, options: PermitOptions) => of.tryAcquire(options)],
    ["request", (of: Semaphore, options: PermitOptions) => of.request(options, () => {})],
  ] as const;
  for (const [title, call] of CALLS)
    for (const fair of [false, true]) {
      const options = { permits: 3, fair };
      const what = `${title}${fair ? ", fair" : ""}`;

      it(`is refused for more than a quorum says, and names its caller: ${what}`, async () => {
        await using locks = new LockManager(memoryNodes(3));
        async function theCaller(): Promise<void> {
          await call(locks.semaphore("gpu", { permits: 2 }), options);
        }
        const error = await rejectionWith(RangeError, theCaller());
        expect(error.constructor).to.equal(RangeError);
        expect(error.message).to.equal("`permits` must be at most the 2 of the semaphore, got 3");
        expect(error.stack).to.match(/\n +at async theCaller /);
      });

      it(`is not refused where no quorum says so: ${what}`, async () => {
        await using locks = new LockManager(NODES, { waitMs: 50 });
        const semaphore = locks.semaphore("gpu", { permits: 2 });
        expect(await codeOf(call(semaphore, options))).to.equal("QUORATE_UNREACHABLE");
      });
    }

  for (const [title, size] of [
    ["gets them", 3],
    ["is refused", 2],
  ] as const)
    it(`waits for a quorum to say so, and ${title}`, async () => {
      const nodes = memoryNodes(3);
      const options = { nodeTimeoutMs: 50, waitMs: 20_000, retry: { maxDelayMs: 100 } };
      await using locks = new LockManager(nodes, options);
      await using other = new LockManager(nodes, options);
      await locks.ready();
      if (size !== 2) await other.semaphore("gpu", { permits: 2 }).resize(size);
      for (const node of nodes) node.freeze();
      const acquiring = locks.semaphore("gpu", { permits: 2 }).acquire({ permits: 3 });
      const outcome = acquiring.then(({ permits = [] }) => permits.length, String);
      await sleep(150);
      for (const node of nodes) node.thaw();
      expect(await outcome).to.equal(
        size === 2 ? "RangeError: `permits` must be at most the 2 of the semaphore, got 3" : 3,
      );
    });

  for (const [title, permits, fair] of [
    ["one that asks", 3, false],
    ["a fair one that asks", 3, true],
    ["a fair one after it", 1, true],
  ] as const) {
    it(`ends by its signal, or when its manager closes: ${title}`, async () => {
      const nodes = memoryNodes(3);
      const locks = new LockManager(nodes, { ttlMs: 60_000, nodeTimeoutMs: 1_000 });
      await locks.ready({ all: true });
      for (const node of nodes) node.freeze();
      const semaphore = locks.semaphore("gpu", { permits: 2 });
      const asking = rejectionOf(semaphore.acquire({ permits: 3, fair: true }));
      const startedMs = performance.now();
      const aborted = rejectionOf(
        semaphore.acquire({ permits, fair, signal: AbortSignal.timeout(20) }),
      );
      const closed = rejectionWith(ClosedError, semaphore.acquire({ permits, fair }));
      expect((await locks.query()).pending).to.have.length(3);
      expect(await aborted).to.include({ name: "TimeoutError" });
      const closing = locks.close();
      await closed;
      expect(performance.now() - startedMs).to.be.below(500);
      expect(await asking).to.be.instanceOf(ClosedError);
      await closing;
    });
  }
});
