import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockContendedError, NoQuorumError, SplitError } from "../../src/api/errors.js";
import { ClosedError, DEFAULTS, LockLostError, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { brief } from "../support/brief.js";
import { at, holdByHand, lockKeys, noLockKeys, pttlOf, nodeHolds } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

for (const nodeCount of [1, 3, 4, 5]) {
  describe(`A lock on ${nodeCount} node${nodeCount === 1 ? "" : "s"}`, () => {
    let fleet: RedisFleet;
    let locks: LockManager;
    let other: LockManager;

    before(async () => {
      fleet = await RedisFleet.start({ nodes: nodeCount });
      const open = (): LockManager => {
        const manager = new LockManager(fleet.urls, PATIENT);
        manager.on("warning", () => {});
        return manager;
      };
      locks = open();
      other = open();
    });

    after(async () => {
      await locks.close();
      await other.close();
      await fleet.stop();
    });

    it("is had at once on fresh nodes, stands on all of them, and is had by one", async () => {
      const lock = await locks.acquire("first", { waitMs: 0, label: "me" });
      expect(lock.name).to.equal("first");
      expect(lock.isHeld).to.equal(true);
      expect(lock.remainingMs).to.be.within(1, 10_000);
      for (const node of fleet.nodes) {
        await nodeHolds(node, "lock:first", ownerIdOf(lock));
        expect(await pttlOf(node, "lock:first")).to.be.within(1, 10_000 + DEFAULTS.clockStepMs);
      }
      expect(await other.tryAcquire("first")).to.equal(null);
      const error = await rejectionWith(
        LockContendedError,
        other.acquire("first", { waitMs: 0, ttlMs: 5_000 }),
      );
      expect(error.holderLabel).to.equal("me");
      expect(error.freeInMs).to.be.within(10_001, 10_000 + DEFAULTS.clockStepMs);
      expect(error.remainingMs).to.equal(error.freeInMs - DEFAULTS.clockStepMs);
      expect(await lock.release()).to.equal("released");
      await noLockKeys(fleet.nodes);
    });

    it("hands out tokens that grow, to whichever manager", async () => {
      let last = 0;
      for (let round = 0; round < 10; round++) {
        const manager = round % 2 === 0 ? locks : other;
        const lock = await manager.acquire("tokens");
        expect(lock.fencingToken).to.be.a("number").above(last);
        last = lock.fencingToken ?? 0;
        await lock.release();
      }
    });

    it("extends by a full ttl from now", async () => {
      const lock = await locks.acquire("extended", { renew: false });
      await Promise.all(fleet.nodes.map((node) => node.command("PEXPIRE", "lock:extended", 5_000)));
      await lock.extend();
      const left = await Promise.all(fleet.nodes.map((node) => pttlOf(node, "lock:extended")));
      // A minority may get its extend only after the quorum has answered.
      expect(left.filter((ms) => ms > 5_000).length).to.be.above(nodeCount / 2);
      expect(lock.remainingMs).to.be.above(5_000);
      await lock.release();
    });

    it("is not renewed with renew: false, and is another's afterwards", async () => {
      const lock = await locks.acquire("short", { ttlMs: 200, renew: false });
      const next = await other.acquire("short", { waitMs: 5_000 });
      expect(lock.isHeld).to.equal(false);
      expect(lock.signal.aborted).to.equal(true);
      expect(() => lock.assertHeld()).to.throw(LockLostError);
      expect(next.fencingToken).to.be.above(lock.fencingToken);
      // A late release is not an error and touches nobody else's lock.
      expect(await lock.release()).to.equal("expired");
      await nodeHolds(at(fleet.nodes, 0), "lock:short", ownerIdOf(next));
      await next.release();
    });

    it("is released twice, and not held after it", async () => {
      const lock = await locks.acquire("twice");
      expect(await Promise.all([lock.release(), lock.release()])).to.deep.equal([
        "released",
        "released",
      ]);
      expect(lock.remainingMs).to.equal(0);
      expect(lock.signal.aborted).to.equal(false);
      expect(() => lock.assertHeld()).to.throw(LockLostError, /released/);
      expect(await rejectionWith(LockLostError, lock.extend())).to.have.property(
        "reason",
        "released",
      );
      const next = await other.tryAcquire("twice");
      expect(next).not.to.equal(null);
      await next?.release();
    });

    it("is released at the end of its await using block, also when that throws", async () => {
      const run = async (): Promise<void> => {
        await using lock = await locks.acquire("block");
        lock.assertHeld();
        throw new Error("from the block");
      };
      expect(await rejectionOf(run())).to.have.property("message", "from the block");
      await using again = await other.acquire("block", { waitMs: 0 });
      again.assertHeld();
    });

    it("is held while the callback of request runs, and passes on what that comes to", async () => {
      const result = await locks.request("scoped", async (lock) => {
        expect(lock.isHeld).to.equal(true);
        expect(await other.tryAcquire("scoped")).to.equal(null);
        return lock.fencingToken;
      });
      expect(result).to.be.a("number");
      const own = new Error("the callback's own");
      const failing = other.request("scoped", { waitMs: 0 }, () => {
        throw own;
      });
      expect(await rejectionOf(failing)).to.equal(own);
      const third = await locks.tryAcquire("scoped");
      expect(third).not.to.equal(null);
      await third?.release();
    });

    it("may be released by the callback of request itself", async () => {
      const result = await locks.request("early", async (lock) => {
        await lock.release();
        return "done";
      });
      expect(result).to.equal("done");
    });

    it("is waited for, in turn, by everybody who wants it", async () => {
      let inside = 0;
      let entered = 0;
      const wanting = Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? locks : other).request("turns", async () => {
          expect(++inside).to.equal(1);
          entered++;
          await sleep(5);
          inside--;
        }),
      );
      await Promise.all(wanting);
      expect(entered).to.equal(12);
    });

    it("leaves no lock key behind", async () => {
      await noLockKeys(fleet.nodes);
      expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
    });
  });
}

describe("Renewal", () => {
  it("keeps a lock for as long as it is held, on any number of nodes", async () => {
    await Promise.all([1, 3, 4, 5].map((nodeCount) => holdForTwoLeases(nodeCount)));
  });
});

async function holdForTwoLeases(nodeCount: number): Promise<void> {
  await using fleet = await RedisFleet.start({ nodes: nodeCount });
  // What is left of a lease when its renewal is due has to outlast a stall of the machine.
  const options = brief(4_500);
  await using locks = new LockManager(fleet.urls, options);
  await using other = new LockManager(fleet.urls, options);
  for (const manager of [locks, other]) manager.on("warning", () => {});
  const lock = await locks.acquire("renewed");
  const token = lock.fencingToken;
  const endMs = performance.now() + 2 * options.ttlMs;
  while (performance.now() < endMs) {
    lock.assertHeld();
    expect(await other.tryAcquire("renewed")).to.equal(null);
    await sleep(50);
  }
  expect(lock.fencingToken).to.equal(token);
  expect(await lock.release()).to.equal("released");
}

describe("An even split of four nodes", () => {
  it("is no contention: nobody holds the name, and the call says so once its time is up", async () => {
    await using fleet = await RedisFleet.start({ nodes: 4 });
    const nodeTimeoutMs = 400;
    await using locks = new LockManager(fleet.urls, { nodeTimeoutMs });
    locks.on("warning", () => {});
    // With a quorum alone, the last node may still be connecting: it would count as silent.
    await locks.ready({ all: true });
    await holdByHand(fleet.nodes.slice(0, 2), "split");

    for (const ask of [
      () => locks.tryAcquire("split"),
      () => locks.acquire("split", { waitMs: 0 }),
    ]) {
      const error = await rejectionWith(SplitError, ask());
      expect(error).to.be.instanceOf(NoQuorumError);
    }
    // Its own half was given back, long before it would have run out.
    await noLockKeys(fleet.nodes.slice(2));
  });
});

describe("A lock manager", () => {
  it("is ready with a quorum of its nodes, or with all, as it is asked", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using first = new LockManager(fleet.urls);
    await first.ready({ all: true });
    expect(first.nodes.map(({ state }) => state)).to.deep.equal(["ready", "ready", "ready"]);
    await fleet.nodes[2]?.kill();
    await using second = new LockManager(fleet.urls);
    await second.ready();
    let isOver = false;
    const all = second.ready({ all: true, signal: AbortSignal.timeout(300) }).finally(() => {
      isOver = true;
    });
    await second.ready({ all: false });
    expect(isOver).to.equal(false);
    expect(await rejectionWith(DOMException, all)).to.have.property("name", "TimeoutError");
    const error = await rejectionWith(TypeError, second.ready({ all: 1 as never }));
    expect(error.message).to.include("`all` must be a boolean, got 1");
  });
});

describe("A lock manager that is closed", () => {
  it("turns everything away", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const locks = new LockManager(fleet.urls);
    await locks.close();
    await locks.close();
    await rejectionWith(ClosedError, locks.acquire("late"));
    await rejectionWith(ClosedError, locks.tryAcquire("late"));
    await rejectionWith(
      ClosedError,
      locks.request("late", () => expect.fail("must not run")),
    );
    await rejectionWith(ClosedError, locks.ready());
  });
});
