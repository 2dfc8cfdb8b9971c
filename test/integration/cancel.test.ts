import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, fenceOf, lockKeys, noLockKeys } from "../support/nodes.js";
import { eventually, rejectionOf } from "../support/settle.js";

const OPTIONS = { ttlMs: 60_000, nodeTimeoutMs: 4_000 };

/** Reasons are the caller's own: an error, a value, or what the runtime makes of it. */
const REASONS: readonly unknown[] = [new Error("the caller's own"), "a string", { odd: true }];

describe("An abort", () => {
  let fleet: RedisFleet;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3, links: true });
  });

  afterEach(() => fleet.stop());

  it("before the call rejects with the caller's reason, and sends nothing", async () => {
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    for (const reason of REASONS) {
      const signal = AbortSignal.abort(reason);
      expect(await rejectionOf(locks.acquire("name", { signal }))).to.equal(reason);
      expect(await rejectionOf(locks.tryAcquire("name", { signal }))).to.equal(reason);
      const requested = locks.request("name", { signal }, () => expect.fail("must not run"));
      expect(await rejectionOf(requested)).to.equal(reason);
    }
    expect(await fenceOf(at(fleet.nodes, 0), "name")).to.equal(null);
  });

  it("while waiting for the holder rejects with the caller's reason", async () => {
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await using other = new LockManager(fleet.urls, OPTIONS);
    const held = await locks.acquire("name");
    for (const reason of REASONS) {
      const controller = new AbortController();
      const waiting = rejectionOf(other.acquire("name", { signal: controller.signal }));
      await sleep(60);
      controller.abort(reason);
      expect(await waiting).to.equal(reason);
    }
    await held.release();
    await noLockKeys(fleet.nodes);
    // Whoever gave up does not come back: the name is free, and stays so.
    await sleep(300);
    expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
  });

  it("by a timeout rejects with the TimeoutError of the runtime", async () => {
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await using held = await locks.acquire("name");
    held.assertHeld();
    const error = await rejectionOf(locks.acquire("name", { signal: AbortSignal.timeout(80) }));
    expect(error).to.be.instanceOf(DOMException).with.property("name", "TimeoutError");
  });

  it("during a round rejects at once, and what was sent is taken back", async () => {
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    for (const node of fleet.nodes) node.link.hold();
    const controller = new AbortController();
    const reason = new Error("the caller's own");
    const pendingAcquire = rejectionOf(locks.acquire("name", { signal: controller.signal }));
    await sleep(50);
    controller.abort(reason);
    // No node has answered, and none will before the links are let go.
    expect(await pendingAcquire).to.equal(reason);
    await Promise.all(fleet.nodes.map((node) => node.link.heal()));
    for (const node of fleet.nodes) {
      await eventually(
        "the acquire was executed",
        async () => (await fenceOf(node, "name")) !== null,
      );
    }
    await noLockKeys(fleet.nodes);
  });

  for (const how of ["refuse", "blackhole"] as const) {
    it(`while connecting rejects at once: nodes that ${how}`, async () => {
      for (const node of fleet.nodes) await node.link[how]();
      await using locks = new LockManager(fleet.urls, OPTIONS);
      const controller = new AbortController();
      const reason = new Error("the caller's own");
      const pendingAcquire = rejectionOf(locks.acquire("name", { signal: controller.signal }));
      const ready = rejectionOf(locks.ready({ signal: controller.signal }));
      await sleep(100);
      controller.abort(reason);
      expect(await pendingAcquire).to.equal(reason);
      expect(await ready).to.equal(reason);
      await Promise.all(fleet.nodes.map((node) => node.link.heal()));
      await allNodes(locks, "ready", 20_000);
      // Nothing that was asked for then is done now.
      await sleep(100);
      expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
      expect(await fenceOf(at(fleet.nodes, 0), "name")).to.equal(null);
    });
  }

  it("of many at any moment leaves nothing on any node", async () => {
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    for (const node of fleet.nodes) node.link.delay(3, { jitterMs: 6 });
    const reason = new Error("the caller's own");
    const outcomes = Array.from({ length: 200 }, async (_, index) => {
      const controller = new AbortController();
      const pendingAcquire = locks.acquire(`name-${index % 50}`, { signal: controller.signal });
      // Some at once, some never; of the others nobody can say how many come first.
      const isNever = index % 20 === 0;
      if (index % 20 === 1) controller.abort(reason);
      else if (!isNever) setTimeout(() => controller.abort(reason), Math.random() * 200);
      try {
        await (await pendingAcquire).release();
        return "granted";
      } catch (error) {
        expect(error).to.equal(reason);
        return "aborted";
      }
    });
    const ended = await Promise.all(outcomes);
    for (const [index, outcome] of ended.entries()) {
      if (index % 20 === 0) expect(outcome).to.equal("granted");
      if (index % 20 === 1) expect(outcome).to.equal("aborted");
    }
    await noLockKeys(fleet.nodes);
  });

  it("does not touch a lock that is held", async () => {
    await using locks = new LockManager(fleet.urls, OPTIONS);
    const controller = new AbortController();
    const lock = await locks.acquire("name", { signal: controller.signal });
    controller.abort();
    await sleep(20);
    expect(lock.signal.aborted).to.equal(false);
    lock.assertHeld();
    expect(await lock.release()).to.equal("released");
  });
});
