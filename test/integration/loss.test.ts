import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockLostError, LockManager, type Lock } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import {
  allNodes,
  at,
  freeByHand,
  holdByHand,
  lockKeys,
  noLockKeys,
  valueOf,
  allHold,
} from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { aborted, eventually, rejectionOf, rejectionWith, written } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** The lease has to outlast a stall of the machine in which a majority is being frozen. */
const OPTIONS = { ttlMs: 3_000, nodeTimeoutMs: 2_000, lossGraceMs: 150 };

/** For locks whose lease is to end during a stall of the event loop. */
const STALLED = { ttlMs: 400 };

/** What a lock said of itself at the moment its signal aborted. */
interface Loss {
  readonly remainingMs: number;
  readonly isHeld: boolean;
  readonly assertion: unknown;
  readonly wasInTime: boolean;
}

/**
 * Watches the signal. In time means: before a plain timer that was armed for the end of the
 * validity at the same moment. On a machine that is late for everything, both are equally late,
 * and timers run in the order in which they are due.
 */
async function lossOf(lock: Lock): Promise<Loss> {
  let isPlainTimerDue = false;
  const plain = setTimeout(() => {
    isPlainTimerDue = true;
  }, lock.remainingMs + 30);
  await aborted(lock.signal);
  clearTimeout(plain);
  let assertion: unknown;
  try {
    lock.assertHeld();
  } catch (error) {
    assertion = error;
  }
  const { remainingMs, isHeld } = lock;
  return { remainingMs, isHeld, assertion, wasInTime: !isPlainTimerDue };
}

function expectLost(lock: Lock, loss: Loss, reason: string): void {
  expect(loss.remainingMs).to.equal(0);
  expect(loss.isHeld).to.equal(false);
  expect(loss.assertion).to.be.instanceOf(LockLostError).with.property("reason", reason);
  expect(lock.signal.reason).to.be.instanceOf(LockLostError).with.property("reason", reason);
  expect(loss.wasInTime).to.equal(true);
}

/** Blocks the event loop, as a long computation or a garbage collection would. */
function block(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

describe("A held lock when a majority falls silent", () => {
  let fleet: RedisFleet;
  let locks: LockManager;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3, links: true });
    locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
  });

  afterEach(async () => {
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    await locks.close();
    await fleet.stop();
  });

  const freezeMajority = (): Promise<unknown> =>
    Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));

  it("is lost at the end of its validity, which its signal tells in time", async () => {
    const told: unknown[] = [];
    locks.on("lost", (event) => told.push(event));
    const beforeMs = performance.now();
    const lock = await locks.acquire("name");
    expect(beforeMs + OPTIONS.ttlMs).to.be.above(performance.now() + lock.remainingMs);
    await freezeMajority();
    const loss = await lossOf(lock);
    expectLost(lock, loss, "expired");
    expect(told).to.deep.equal([{ name: "name", reason: "expired" }]);
    expect(await rejectionWith(LockLostError, lock.extend())).to.have.property("reason", "expired");
    // Given back where somebody listens, and where nobody does as soon as they listen again.
    await noLockKeys(fleet.nodes.slice(0, 1));
    await Promise.all(fleet.nodes.slice(1).map((node) => node.resume()));
    await noLockKeys(fleet.nodes);
  });

  it("is lost before any of its keys is gone, when nobody renews it", async () => {
    // A large drift factor leaves time to look: a third of the lease.
    await using wary = new LockManager(fleet.urls, { ...OPTIONS, driftFactor: 0.33 });
    await allNodes(wary);
    const lock = await wary.acquire("early", { renew: false, ttlMs: 5_000 });
    await allHold(fleet.nodes, "early");
    // All requests of the manager are lost from here on, its release of the lost lock included.
    for (const node of fleet.nodes) node.link.blackhole();
    const loss = await lossOf(lock);
    const left = await Promise.all(fleet.nodes.map((node) => valueOf(node, "lock:early")));
    expectLost(lock, loss, "expired");
    expect(left).to.deep.equal([ownerIdOf(lock), ownerIdOf(lock), ownerIdOf(lock)]);
    await Promise.all(fleet.nodes.map((node) => node.link.heal()));
    await noLockKeys(fleet.nodes);
  });

  it("makes request reject, though its callback never ends", async () => {
    const never = locks.request("hung", async () => {
      await freezeMajority();
      await new Promise<never>(() => {});
    });
    const error = await rejectionWith(LockLostError, never);
    expect(error.reason).to.equal("expired");
    expect(error.result).to.equal(undefined);
    expect(error.cause).to.equal(undefined);
    expect(error.lockName).to.equal("hung");
  });

  it("makes request reject with what the callback made of it", async () => {
    const own = new Error("the callback's own");
    const names = ["failing", "answering", "passing"];
    const failing = locks.request("failing", async (lock) => {
      // Whoever came too late would wait for the frozen ones.
      await Promise.all(names.map((name) => allHold(fleet.nodes, name)));
      await freezeMajority();
      await aborted(lock.signal);
      throw own;
    });
    const answering = locks.request("answering", async (lock) => {
      await aborted(lock.signal);
      return 42;
    });
    const passingOn = locks.request("passing", async (lock) => {
      await aborted(lock.signal);
      lock.signal.throwIfAborted();
    });
    expect((await rejectionWith(LockLostError, failing)).cause).to.equal(own);
    expect((await rejectionWith(LockLostError, answering)).result).to.equal(42);
    expect((await rejectionWith(LockLostError, passingOn)).cause).to.equal(undefined);
  });

  it("survives a majority that is silent for less than the lease", async () => {
    const ttlMs = 6_000;
    await using hasty = new LockManager(fleet.urls, { ttlMs, nodeTimeoutMs: 300 });
    await allNodes(hasty);
    const lock = await hasty.acquire("brief");
    const endMs = performance.now() + ttlMs + 200;
    await freezeMajority();
    await sleep(ttlMs * 0.4);
    await Promise.all(fleet.nodes.slice(1).map((node) => node.resume()));
    await eventually("it was renewed again", () => {
      lock.assertHeld();
      return performance.now() > endMs;
    });
    expect(await lock.release()).to.equal("released");
  });
});

describe("A held lock", () => {
  let fleet: RedisFleet;
  let locks: LockManager;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 5 });
    locks = new LockManager(fleet.urls, PATIENT);
    await allNodes(locks);
  });

  after(async () => {
    await locks.close();
    await fleet.stop();
  });

  it("is lost when a quorum holds another's key, before its validity ends", async () => {
    const lock = await locks.acquire("taken", { renew: false });
    const preempted = fleet.nodes.slice(0, 3);
    await allHold(fleet.nodes, "taken");
    await freeByHand(preempted, "taken");
    await holdByHand(preempted, "taken");
    const leftMs = lock.remainingMs;
    expect(leftMs).to.be.above(3_000);
    await rejectionWith(LockLostError, lock.extend());
    expect(lock.signal.reason).to.have.property("reason", "taken");
    expect(lock.remainingMs).to.equal(0);
    await noLockKeys(fleet.nodes.slice(3));
    expect(await valueOf(at(fleet.nodes, 0), "lock:taken")).to.equal("somebody-else");
    await freeByHand(preempted, "taken");
  });

  it("finds out by its own renewal, too", async () => {
    const lock = await locks.acquire("preempted", { ttlMs: 6_000 });
    await allHold(fleet.nodes, "preempted");
    await eventually("it is lost", async () => {
      // Again and again: a renewal that comes between the nodes puts back what it misses.
      await freeByHand(fleet.nodes.slice(0, 3), "preempted");
      return lock.signal.aborted;
    });
    expect(lock.signal.reason).to.have.property("reason", "taken");
    await noLockKeys(fleet.nodes);
  });

  it("is put back on a minority that lost its key", async () => {
    const lock = await locks.acquire("healed");
    const minority = fleet.nodes.slice(0, 2);
    await allHold(fleet.nodes, "healed");
    await freeByHand(minority, "healed");
    await lock.extend();
    await eventually("they hold it again", async () => (await lockKeys(minority)).length === 2);
    await lock.release();
    await noLockKeys(fleet.nodes);
  });

  it("is given up after maxHoldMs", async () => {
    const [ttlMs, maxHoldMs] = [4_000, 4_500];
    const startedMs = performance.now();
    const lock = await locks.acquire("greedy", { ttlMs, maxHoldMs });
    await aborted(lock.signal);
    expect(performance.now() - startedMs).to.be.above(maxHoldMs - 100);
    expect(lock.signal.reason).to.have.property("reason", "maxHold");
    await noLockKeys(fleet.nodes);
  });

  it("is lost after a stall of the event loop, before anything else is believed", async () => {
    const lock = await locks.acquire("stalled", STALLED);
    const order: string[] = [];
    lock.signal.addEventListener("abort", () => order.push("signal"));
    // Due during the stall, and behind the end of the validity.
    setTimeout(() => order.push("timer"), lock.remainingMs + 20);
    block(STALLED.ttlMs + 50);
    expect(lock.isHeld).to.equal(false);
    expect(() => lock.assertHeld()).to.throw(LockLostError, /did not run for/);
    expect(lock.signal.aborted).to.equal(true);
    await sleep(10);
    expect(order).to.deep.equal(["signal", "timer"]);
    await noLockKeys(fleet.nodes);
  });

  it("tells its signal first thing after a stall, if nobody asked before", async () => {
    const lock = await locks.acquire("stalled-2", STALLED);
    const order: string[] = [];
    lock.signal.addEventListener("abort", () => order.push("signal"));
    setTimeout(() => order.push("timer"), lock.remainingMs + 20);
    block(STALLED.ttlMs + 50);
    await sleep(10);
    expect(order).to.deep.equal(["signal", "timer"]);
  });

  it("makes request reject after a stall, with the result that came too late", async () => {
    const late = locks.request("stalled-3", STALLED, () => {
      block(STALLED.ttlMs + 50);
      return "too late";
    });
    expect(await rejectionWith(LockLostError, late)).to.include({
      reason: "expired",
      result: "too late",
    });
  });

  it("is not handed out if the event loop stalled while it was granted", async () => {
    const pendingAcquire = locks.acquire("stalled-4", { ...STALLED, waitMs: 0, renew: false });
    await written();
    block(STALLED.ttlMs + 50);
    const error = await rejectionOf(pendingAcquire);
    expect(error)
      .to.have.property("code")
      .that.matches(/QUORATE_(VALIDITY_EXHAUSTED|UNREACHABLE)/);
    await noLockKeys(fleet.nodes);
  });
});
