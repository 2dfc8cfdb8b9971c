import { expect } from "chai";
import { LockManager } from "../../../src/manager/lock-manager.js";
import { memoryNodes } from "../../../src/memory/index.js";
import type { GrantedLease } from "../../../src/coordinator/observer.js";
import type { Clock } from "../../../src/coordinator/ports.js";
import { OWN_WORLD } from "../../../src/nodes/simulated-nodes.js";
import Redlock, { ExecutionError, Lock } from "../../../src/integrations/redlock/index.js";
import { systemClock, systemEntropy } from "../../../src/runtime/system.js";
import { rejectionWith } from "../../support/settle.js";

describe("the interface of redlock on nodes in memory", () => {
  it("locks, extends and releases, and keeps a lock manager on the same nodes out meanwhile", async () => {
    const nodes = memoryNodes(3);
    const redlock = new Redlock(nodes, { retryCount: 0 });
    await using locks = new LockManager(nodes, { keyPrefix: "" });
    const lock = await redlock.acquire(["a", "b"], 30_000);
    expect(await locks.tryAcquire("b")).to.equal(null);
    await rejectionWith(ExecutionError, redlock.acquire(["a"], 30_000));
    const extended = await lock.extend(60_000);
    expect(extended.expiration).to.be.above(lock.expiration);
    await extended.release();
    const next = await locks.tryAcquire("b");
    expect(next?.isHeld).to.equal(true);
    await next?.release();
    expect(await redlock.using(["a"], 2_000, async () => 5)).to.equal(5);
    await redlock.quit();
  });

  it("is closed by quit, for all who share the nodes", async () => {
    const nodes = memoryNodes(1);
    const [one, other] = [new Redlock(nodes), new Redlock(nodes)];
    await (await one.acquire(["a"], 30_000)).release();
    await other.quit();
    await rejectionWith(ExecutionError, one.acquire(["a"], 30_000));
  });

  it("has pauses, chance and the time of day from the world of its nodes", async () => {
    const pausesMs: number[] = [];
    const system = systemClock();
    const clock: Clock = {
      ...system,
      wallUs: () => system.wallUs() + 3_600_000_000,
      setTimer: (delayMs, callback) => {
        const isPause = delayMs > 5_000;
        if (isPause) pausesMs.push(delayMs);
        return system.setTimer(isPause ? 0 : delayMs, callback);
      },
    };
    const observer = { onOpen: () => {} };
    let idCount = 0;
    const entropy = { unit: () => 0.75, id: () => `${++idCount}`.padStart(21, "a") + "A" };
    const nodes = memoryNodes(3).map((node) =>
      Object.assign(node, { [OWN_WORLD]: { clock, entropy, observer } }),
    );
    const settings = { retryCount: 2, retryDelay: 10_000, retryJitter: 1_000 };
    const redlock = new Redlock(nodes, settings);
    const lock = await redlock.acquire(["a"], 60_000);
    expect(lock.expiration - Date.now()).to.be.within(3_600_000, 3_660_000);
    await rejectionWith(ExecutionError, redlock.acquire(["a"], 1_000));
    expect(pausesMs).to.deep.equal([10_500, 10_500]);
    await lock.release();
    await redlock.quit();
  });

  it("tells the world of its nodes what becomes of each lock, of several resources as of one", async () => {
    const { nodes, told } = observed();
    const redlock = new Redlock(nodes, { retryCount: 0 });
    const lock = await redlock.acquire(["b", "a"], 30_000);
    const extended = await lock.extend(60_000);
    expect(told).to.deep.equal(["granted a, b", "extended a, b"]);
    await extended.release();
    await rejectionWith(ExecutionError, extended.release());
    expect(told.splice(0)).to.deep.equal(["granted a, b", "extended a, b", "released a, b"]);
    await redlock.acquire([], 2_000);
    expect(told, "of no resources").to.deep.equal([]);
    await redlock.quit();
  });

  it("counts a lock's end from when it was asked for, less what clocks may differ", async () => {
    const { nodes, leap } = observed();
    const redlock = new Redlock(nodes, { retryCount: 0 });
    await (await redlock.acquire(["warm-up"], 30_000)).release();
    for (const node of nodes) node.freeze();
    const acquiring = redlock.acquire(["a"], 30_000);
    await new Promise((resolve) => setImmediate(resolve));
    leap(900);
    for (const node of nodes) node.thaw();
    const lock = await acquiring;
    const leftMs = lock.expiration - Date.now();
    expect(leftMs).to.be.at.most(30_000 - 302 - 900);
    expect(leftMs).to.be.at.least(28_000);
    await redlock.quit();
  });

  it("may try again to extend a lock that it knows by its value, until the lock is over", async () => {
    const { nodes, leap } = observed();
    const redlock = new Redlock(nodes, { retryCount: 0 });
    const { resources, value, expiration } = await redlock.acquire(["a"], 30_000);
    const copy = new Lock(redlock, resources, value, [], expiration);
    for (const node of nodes) node.freeze();
    // Long enough that a stall of the machine does not end it.
    await rejectionWith(ExecutionError, copy.extend(1_000));
    for (const node of nodes) node.thaw();
    // Beyond the end that the first extension would have had.
    leap(2_000);
    const extended = await copy.extend(60_000);
    expect(extended.expiration).to.be.above(expiration);
    await extended.release();
    await redlock.quit();
  });

  it("is lost when answers to its extension come after its end", async () => {
    const { nodes, told, leap } = observed();
    const redlock = new Redlock(nodes, { retryCount: 0 });
    const lock = await redlock.acquire(["a"], 30_000);
    for (const node of nodes) node.freeze();
    const extending = rejectionWith(ExecutionError, lock.extend(60_000));
    await new Promise((resolve) => setImmediate(resolve));
    leap(30_000);
    for (const node of nodes) node.thaw();
    await extending;
    expect(told).to.deep.equal(["granted a", "expired a"]);
    await redlock.quit();
  });
});

/** Nodes in a world that writes down what it is told, and whose clock can be put forward. */
function observed() {
  const told: string[] = [];
  let aheadMs = 0;
  const system = systemClock();
  const tell = (what: string) => (lease: GrantedLease) => {
    told.push(`${what} ${lease.keys.names.join(", ")}`);
  };
  const world = {
    clock: { ...system, now: () => system.now() + aheadMs },
    entropy: systemEntropy(),
    observer: {
      ...{ onOpen: () => {}, onNodeState: () => {} },
      ...{ onGranted: tell("granted"), onExtended: tell("extended") },
      onReleased: tell("released"),
      onLost: (lease: GrantedLease, reason: string) => tell(reason)(lease),
    },
  };
  const nodes = memoryNodes(3).map((node) => Object.assign(node, { [OWN_WORLD]: world }));
  const leap = (ms: number): void => {
    aheadMs += ms;
  };
  return { nodes, told, leap };
}
