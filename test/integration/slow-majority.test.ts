import { expect } from "chai";
import {
  QuorumUnreachableError,
  ValidityExhaustedError,
  WaitTimeoutError,
} from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, fenceOf, noLockKeys, nodeHolds } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionWith, settled } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

describe("A majority that is slow", () => {
  let fleet: RedisFleet;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3, links: true });
  });

  afterEach(() => fleet.stop());

  const slowDown = (ms: number): void => {
    for (const node of fleet.nodes.slice(1)) node.link.delay(ms);
  };

  it("that answers only after the ttl grants nothing, and keeps nothing", async () => {
    const options = { ttlMs: 3_000, nodeTimeoutMs: 2_000, renew: false };
    await using locks = new LockManager(fleet.urls, options);
    await allNodes(locks);
    slowDown(1_700);
    const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    expect(error.message).to.match(/1\/3 granted, 2 timed out\. Check the nodes/);
    // Released where it was granted at once, not when its lease is over.
    await noLockKeys(fleet.nodes.slice(0, 1), 3_000);
    // The requests do arrive, and are taken back by what arrives behind them.
    for (const node of fleet.nodes.slice(1)) {
      await eventually("the request arrived", async () => (await fenceOf(node, "name")) !== null);
    }
    await noLockKeys(fleet.nodes);
    for (const node of fleet.nodes) await node.link.heal();
    await allNodes(locks);
    const lock = await locks.acquire("name", { waitMs: 20_000 });
    expect(await lock.release()).to.equal("released");
    await noLockKeys(fleet.nodes);
  });

  it("that answers before its deadline, but too late for the validity, grants nothing", async () => {
    await using locks = new LockManager(fleet.urls, { ...PATIENT, ttlMs: 10_000 });
    await allNodes(locks);
    slowDown(100);
    const late = { waitMs: 0, minHoldMs: 9_800 };
    const error = await rejectionWith(ValidityExhaustedError, locks.acquire("name", late));
    expect(error.code).to.equal("QUORATE_VALIDITY_EXHAUSTED");
    expect(error.votes.filter(({ vote }) => vote === "granted")).to.have.length.above(1);
    // Rolled back, although the ttl is long.
    await noLockKeys(fleet.nodes, 8_000);
    // With less to ask for it is a grant.
    const lock = await locks.acquire("name", { waitMs: 0, minHoldMs: 1_000 });
    expect(lock.remainingMs).to.be.within(1_000, 9_800);
    await lock.release();
  });

  it("shortens the validity by as long as it took", async () => {
    await using locks = new LockManager(fleet.urls, { ...PATIENT, ttlMs: 10_000 });
    await allNodes(locks);
    slowDown(150);
    const acquired = locks.acquire("name");
    // It has been sent by now, and its validity counts from then.
    const sentMs = performance.now();
    const lock = await acquired;
    const elapsedMs = performance.now() - sentMs;
    expect(elapsedMs).to.be.above(290);
    expect(lock.remainingMs).to.be.below(10_000 - elapsedMs - 99);
    await lock.release();
    await noLockKeys(fleet.nodes);
  });

  it("does not extend a lock whose extension came too late", async () => {
    const options = { ttlMs: 600, nodeTimeoutMs: 550, renew: false };
    await using locks = new LockManager(fleet.urls, options);
    await allNodes(locks);
    const lock = await locks.acquire("name");
    slowDown(320);
    const { error } = await settled(() => lock.extend());
    expect(error)
      .to.have.property("code")
      .that.matches(/QUORATE_(UNREACHABLE|LOST)/);
    await eventually("it is lost", () => lock.signal.aborted);
    for (const node of fleet.nodes) await node.link.heal();
    await noLockKeys(fleet.nodes);
  });

  it("still only refuses, if it refuses", async () => {
    await using locks = new LockManager(fleet.urls, PATIENT);
    await using other = new LockManager(fleet.urls, PATIENT);
    await allNodes(locks);
    await allNodes(other);
    const lock = await locks.acquire("name");
    slowDown(100);
    expect(await other.tryAcquire("name")).to.equal(null);
    const error = await rejectionWith(WaitTimeoutError, other.acquire("name", { waitMs: 3_000 }));
    expect(error.waitedMs).to.be.above(2_990);
    expect(error.attemptCount).to.be.above(1);
    await nodeHolds(at(fleet.nodes, 0), "lock:name", ownerIdOf(lock));
    for (const node of fleet.nodes) await node.link.heal();
    await lock.release();
  });
});
