import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockContendedError } from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import {
  allNodes,
  at,
  fenceOf,
  holdByHand,
  lockKeys,
  nodeState,
  noLockKeys,
  pttlOf,
  valueOf,
  allHold,
} from "../support/nodes.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** So long that no key of these tests ever runs out by itself. */
const OPTIONS = { ttlMs: 60_000, nodeTimeoutMs: 2_000 };

/** A connection is given up after a silence of five times `nodeTimeoutMs`. */
const GIVEN_UP_MS = 30_000;

describe("A rollback or release that meets a node that is away", () => {
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

  const third = (): ReturnType<typeof at<(typeof fleet.nodes)[number]>> => at(fleet.nodes, 2);

  /** An attempt that is lost by the first two nodes, and reaches the third. */
  async function loseAttempt(name: string): Promise<void> {
    await holdByHand(fleet.nodes.slice(0, 2), name);
    expect(await locks.tryAcquire(name)).to.equal(null);
  }

  /** The acquire was executed (its fence tells), and nothing is left of it. */
  async function expectExecutedAndRolledBack(name: string): Promise<void> {
    await eventually(
      "the acquire was executed",
      async () => (await fenceOf(third(), name)) !== null,
    );
    await noLockKeys([third()]);
  }

  it("follows the acquire on a node that was stopped for a moment", async () => {
    await third().pause();
    await loseAttempt("name");
    await third().resume();
    await expectExecutedAndRolledBack("name");
  });

  it("follows the acquire over a link that held everything back", async () => {
    third().link.hold();
    await loseAttempt("name");
    await third().link.heal();
    await expectExecutedAndRolledBack("name");
  });

  it("follows the acquire where only the replies are lost", async () => {
    third().link.blackhole("toClient");
    await loseAttempt("name");
    await expectExecutedAndRolledBack("name");
  });

  it("reaches a node that was stopped so long that its connection was given up", async () => {
    await third().pause();
    await loseAttempt("name");
    await nodeState(locks, 2, "down", GIVEN_UP_MS);
    await third().resume();
    await nodeState(locks, 2, "ready");
    await expectExecutedAndRolledBack("name");
  });

  it("reaches a node whose connection broke between the acquire and the rollback", async () => {
    // Those who refuse are silent until the connection is broken, however long that takes.
    await using patient = new LockManager(fleet.urls, { ...OPTIONS, nodeTimeoutMs: 20_000 });
    await allNodes(patient);
    const refusing = fleet.nodes.slice(0, 2);
    await holdByHand(refusing, "name");
    for (const { link } of refusing) link.hold("toClient");
    const lost = rejectionWith(LockContendedError, patient.acquire("name", { waitMs: 0 }));
    await eventually(
      "the third granted",
      async () => (await valueOf(third(), "lock:name")) !== null,
    );
    await third().link.refuse();
    await nodeState(patient, 2, "down");
    await Promise.all(refusing.map(({ link }) => link.heal()));
    await lost;
    expect(await pttlOf(third(), "lock:name")).to.be.above(50_000);
    await third().link.heal();
    await noLockKeys([third()]);
  });

  it("reaches a node that lost the reply to the acquire, by a new connection", async () => {
    third().link.dropReplies(1);
    await loseAttempt("name");
    await expectExecutedAndRolledBack("name");
  });

  it("reaches a node that was away when the lock was released", async () => {
    const lock = await locks.acquire("name");
    await allHold(fleet.nodes, "name");
    await third().link.refuse();
    await nodeState(locks, 2, "down");
    expect(await lock.release()).to.equal("released");
    expect(await valueOf(third(), "lock:name")).to.equal(ownerIdOf(lock));
    await third().link.heal();
    await noLockKeys([third()]);
  });

  it("reaches a node that was away when the lock was granted, and healed since", async () => {
    await third().link.refuse();
    await nodeState(locks, 2, "down");
    const lock = await locks.acquire("name");
    await third().link.heal();
    await nodeState(locks, 2, "ready");
    await lock.extend();
    await eventually(
      "it was healed",
      async () => (await valueOf(third(), "lock:name")) === ownerIdOf(lock),
    );
    expect(Number(await fenceOf(third(), "name"))).to.equal(lock.fencingToken);
    await lock.release();
    await noLockKeys(fleet.nodes);
  });

  it("reaches nobody else's lock", async () => {
    const lock = await locks.acquire("name");
    await third().pause();
    await lock.release();
    const next = await locks.acquire("name", { waitMs: 0 });
    await third().resume();
    await next.extend();
    await eventually("the next one's key is everywhere", async () => {
      const values = await Promise.all(fleet.nodes.map((node) => valueOf(node, "lock:name")));
      return values.every((value) => value === ownerIdOf(next));
    });
    await next.release();
    await noLockKeys(fleet.nodes);
  });

  it("leaves nothing of many locks, whatever the links do meanwhile", async () => {
    const endMs = performance.now() + 2_000;
    const worker = async (name: string): Promise<void> => {
      while (performance.now() < endMs) {
        const lock = await locks.tryAcquire(name).catch(() => null);
        await lock?.release();
        await sleep(1);
      }
    };
    const faults = async (): Promise<void> => {
      for (let turn = 0; performance.now() < endMs; turn++) {
        const { link } = at(fleet.nodes, turn % 3);
        if (turn % 4 === 0) link.reset();
        else if (turn % 4 === 1) link.dropReplies(2);
        else if (turn % 4 === 2) link.delay(15, { jitterMs: 10 });
        else await link.refuse();
        await sleep(40);
        await link.heal();
        await sleep(20);
      }
    };
    await Promise.all([faults(), ...Array.from({ length: 20 }, (_, n) => worker(`n${n % 10}`))]);
    await allNodes(locks);
    await noLockKeys(fleet.nodes);
  });
});

describe("Bytes that arrive late", () => {
  it("over a connection that was given up leave no key behind", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const third = at(fleet.nodes, 2);
    const lateMs = 1_500;
    third.link.lateDelivery(lateMs);
    const lock = await locks.acquire("name");
    // Its acquire is on the way to the third node when the manager gives the connection up ...
    await nodeState(locks, 2, "down", GIVEN_UP_MS);
    const closedMs = performance.now();
    await third.link.heal();
    await nodeState(locks, 2, "ready");
    // ... and takes a new one, over which the release comes first.
    await lock.release();
    const next = await locks.acquire("name", { waitMs: 0 });
    await allHold([third], "name");
    await next.release();
    await noLockKeys(fleet.nodes);
    await sleep(Math.max(0, closedMs + lateMs + 200 - performance.now()));
    expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
  });

  it("after the manager has closed leave no key behind either", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    const locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const third = at(fleet.nodes, 2);
    third.link.lateDelivery(200);
    await locks.acquire("name");
    await locks.close();
    // All of it arrives, in order, with the release at the end.
    await eventually(
      "the acquire was executed",
      async () => (await fenceOf(third, "name")) !== null,
    );
    await noLockKeys(fleet.nodes);
  });
});

describe("Clients that are gone", () => {
  it("leave no key that outlives its ttl", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    const ttlMs = 5_000;
    const locks = new LockManager(fleet.urls, { ttlMs, nodeTimeoutMs: 2_000, clockStepMs: 0 });
    await allNodes(locks);
    await Promise.all(Array.from({ length: 20 }, (_, index) => locks.acquire(`name-${index}`)));
    await sleep(300);
    // As if the process had died: no request leaves any more.
    for (const node of fleet.nodes) node.link.blackhole();
    await sleep(20);
    for (const name of await lockKeys(fleet.nodes)) expect(name).to.match(/^lock:name-/);
    const left = await Promise.all(
      fleet.nodes.map(async (node) =>
        Promise.all(Array.from({ length: 20 }, (_, index) => pttlOf(node, `lock:name-${index}`))),
      ),
    );
    expect(Math.max(...left.flat())).to.be.within(1, ttlMs);
    // -1 would be a key without an expiry.
    expect(Math.min(...left.flat())).not.to.equal(-1);
    await noLockKeys(fleet.nodes, 2 * ttlMs);
    await Promise.all(fleet.nodes.map((node) => node.link.heal()));
    await locks.close();
  });
});
