import { mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import * as FakeTimersOfSinon from "@sinonjs/fake-timers";
import { expect } from "chai";
import { LockContendedError, QuorumUnreachableError } from "../../src/api/errors.js";
import { LockLostError, LockManager, type LockManagerOptions } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { at } from "../support/nodes.js";
import { eventually, rejectionWith, written } from "../support/settle.js";

const QUICK: LockManagerOptions = { nodeTimeoutMs: 50, waitMs: 0 };

interface FakeTimers {
  /** Goes on by so many ms, a second at most at a time, and lets what is under way answer. */
  tick(ms: number): Promise<void>;
  end(): void;
}

const FAKES: readonly { readonly title: string; readonly begin: () => FakeTimers }[] = [
  {
    title: "the timers of node:test",
    begin: () => {
      mock.timers.enable({ apis: ["setTimeout", "Date"], now: Date.now() });
      const tick = async (ms: number): Promise<void> => {
        for (let left = ms; left > 0; left -= 1_000) {
          mock.timers.tick(Math.min(left, 1_000));
          await written();
        }
        await written();
      };
      return { tick, end: () => mock.timers.reset() };
    },
  },
  {
    title: "the timers of Vitest and Jest",
    begin: () => {
      // Vitest's defaults.
      const toNotFake = ["nextTick", "queueMicrotask"] as const;
      const clock = FakeTimersOfSinon.install({ now: Date.now(), toNotFake: [...toNotFake] });
      return {
        tick: async (ms) => void (await clock.tickAsync(ms)),
        end: () => clock.uninstall(),
      };
    },
  },
];

async function managerOf(
  nodes: readonly MemoryNode[],
  options: LockManagerOptions = QUICK,
): Promise<LockManager & AsyncDisposable> {
  const locks = new LockManager(nodes, options);
  await locks.ready({ timeoutMs: 5_000 });
  return locks;
}

describe("nodes in memory", () => {
  it("S1: exclude, are waited for in order, and give tokens that grow", async () => {
    const nodes = memoryNodes(3);
    await using a = await managerOf(nodes, { waitMs: 10_000 });
    await using b = await managerOf(nodes, { waitMs: 10_000 });
    const held = await a.acquire("name");
    await rejectionWith(LockContendedError, b.acquire("name", { waitMs: 0 }));
    const next = b.acquire("name");
    await sleep(20);
    await held.release();
    expect((await next).fencingToken).to.be.above(held.fencingToken);
  });

  it("lock with a minority crashed, and not with a majority, until they are back", async () => {
    const nodes = memoryNodes(3, { durable: true });
    await using locks = await managerOf(nodes);
    at(nodes, 0).crash();
    expect([at(nodes, 0).isRunning, at(nodes, 1).isRunning]).to.deep.equal([false, true]);
    await (await locks.acquire("one")).release();
    at(nodes, 1).crash();
    await rejectionWith(QuorumUnreachableError, locks.acquire("two"));
    at(nodes, 0).restart();
    await eventually("a quorum is back", async () => {
      const lock = await locks.acquire("three").catch(() => undefined);
      return lock !== undefined;
    });
  });

  it("S1: a node that forgot does not vote, and one that is durable has kept its keys", async () => {
    for (const durable of [false, true]) {
      const nodes = memoryNodes(1, { durable });
      await using a = await managerOf(nodes);
      await using b = await managerOf(nodes, { ...QUICK, waitMs: 300 });
      const held = await a.acquire("name");
      at(nodes, 0).restart();
      const kind = durable ? /held|not acquired|within/ : /unreachable|quorum/i;
      const error = await b.acquire("name").catch((reason: unknown) => reason as Error);
      expect((error as Error).message).to.match(kind);
      expect(held.isHeld).to.equal(true);
    }
  });

  it("do not answer while they are frozen, and run what was sent when they are thawed", async () => {
    const nodes = memoryNodes(3);
    await using locks = await managerOf(nodes);
    for (const node of nodes.slice(0, 2)) node.freeze();
    await rejectionWith(QuorumUnreachableError, locks.acquire("name"));
    for (const node of nodes.slice(0, 2)) node.thaw();
    await eventually("the name is free again", async () => {
      const lock = await locks.acquire("name").catch(() => undefined);
      return (await lock?.release()) === "released";
    });
  });

  it("answer later by their delay", async () => {
    const nodes = memoryNodes(3);
    await using locks = await managerOf(nodes, { nodeTimeoutMs: 5_000 });
    const startMs = performance.now();
    for (const node of nodes) node.delay(60);
    await locks.acquire("name");
    expect(performance.now() - startMs).to.be.at.least(59);
  });

  it("let keys expire early when their clocks jump by more than the margin", async () => {
    const nodes = memoryNodes(3);
    await using a = await managerOf(nodes);
    await using b = await managerOf(nodes);
    await a.acquire("name", { ttlMs: 30_000, renew: false });
    await rejectionWith(LockContendedError, b.acquire("name"));
    for (const node of nodes) node.jumpClock(5_000);
    await rejectionWith(LockContendedError, b.acquire("name"));
    for (const node of nodes) node.jumpClock(31_000);
    expect((await b.acquire("name")).isHeld).to.equal(true);
  });

  for (const { title, begin } of FAKES) {
    it(`are moved by ${title}: a lock is renewed for an hour, and lost with its nodes, in no time`, async () => {
      const fake = begin();
      try {
        const nodes = memoryNodes(3);
        const locks = new LockManager(nodes, { ttlMs: 10_000, waitMs: 0 });
        await locks.ready();
        const [kept, left] = await Promise.all([
          locks.acquire("kept"),
          locks.acquire("left", { renew: false }),
        ]);
        // Far from its end: time that really passes meanwhile counts with `node:test`, too.
        await fake.tick(5_000);
        expect([kept.isHeld, left.isHeld]).to.deep.equal([true, true]);
        await fake.tick(5_000);
        expect([kept.isHeld, left.isHeld]).to.deep.equal([true, false]);
        expect(left.signal.reason).to.be.instanceOf(LockLostError);
        await (await locks.acquire("left")).release();
        for (let minute = 0; minute < 60; minute++) await fake.tick(60_000);
        expect(kept.isHeld).to.equal(true);
        for (const node of nodes.slice(0, 2)) node.crash();
        await fake.tick(10_000);
        expect(kept.isHeld).to.equal(false);
        for (const node of nodes.slice(0, 2)) node.restart();
        await fake.tick(0);
        const closing = locks.close();
        await fake.tick(1_000);
        await closing;
      } finally {
        fake.end();
      }
    });
  }

  for (const [given, error] of [
    [() => memoryNodes(0), /`count` must be from 1 to 100, got 0/],
    [() => memoryNodes(1.5), /`count` must be an integer from 1 to 100, got 1.5/],
    [() => memoryNodes("3" as never), /`count` must be a number, got "3"/],
    [() => memoryNodes(3, { durabel: true } as never), /`durabel`: did you mean `durable`/],
    [() => memoryNodes(3, { durable: 1 } as never), /`durable` must be a boolean, got 1/],
    [() => at(memoryNodes(1), 0).delay(-1), /`ms` must be from 0 to 2147483647, got -1/],
    [() => at(memoryNodes(1), 0).jumpClock(Number.NaN), /`ms` must be a number, got NaN/],
  ] as const) {
    it(`refuse what they cannot be: ${error.source}`, () => {
      expect(given).to.throw(error);
    });
  }
});
