import { inspect } from "node:util";
import * as FakeTimersOfSinon from "@sinonjs/fake-timers";
import { expect } from "chai";
import { LockManager, type LateLock, type LockManagerOptions } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** Time that the test lets pass, so that no renewal is late because the machine was busy. */
type Clock = FakeTimersOfSinon.Clock;

async function withLocks(
  options: LockManagerOptions,
  run: (locks: LockManager, nodes: readonly MemoryNode[], clock: Clock) => Promise<void>,
): Promise<void> {
  const clock = FakeTimersOfSinon.install({ toNotFake: ["nextTick", "queueMicrotask"] });
  try {
    const nodes = memoryNodes(3);
    const locks = new LockManager(nodes, options);
    await locks.ready();
    await run(locks, nodes, clock);
    const closing = locks.close();
    await clock.tickAsync(1_000);
    await closing;
  } finally {
    clock.uninstall();
  }
}

describe("LockManager: a lock that is late", () => {
  it("is told of by the event `late` before `lost`, without its secret", () =>
    withLocks({ ttlMs: 300, lossNoticeMs: 120 }, async (locks, nodes, clock) => {
      const events: [string, LateLock | undefined][] = [];
      locks.on("late", (lock) => events.push(["late", lock]));
      locks.on("lost", () => events.push(["lost", undefined]));
      const lock = await locks.acquire(["b", "a"]);
      for (const node of nodes) node.freeze();
      await clock.tickAsync(300);
      for (const node of nodes) node.thaw();

      expect(events.map(([event]) => event)).to.deep.equal(["late", "lost"]);
      const late = events[0]?.[1];
      expect(late).to.include({ name: "a, b", mode: "exclusive", fencingToken: lock.fencingToken });
      expect(late?.names).to.deep.equal(["a", "b"]);
      expect(late?.remainingMs).to.be.above(0).and.at.most(120);
      expect(late?.lateMs).to.be.above(0).and.below(300);
      expect(inspect(late)).to.not.include(ownerIdOf(lock));
    }));

  it("is not told of while its renewals succeed", () =>
    withLocks({ ttlMs: 300 }, async (locks, _, clock) => {
      const late: LateLock[] = [];
      locks.on("late", (lock) => late.push(lock));
      await using lock = await locks.acquire("a");
      const validUntil = lock.validUntil.getTime();
      await clock.tickAsync(250);
      expect(lock.validUntil.getTime(), "it was renewed twice").to.be.above(validUntil + 150);
      expect(late).to.deep.equal([]);
    }));
});
