import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import type { Lock, LockManagerOptions } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode } from "../../src/testing/index.js";
import { allNodes, at, lockKeys, nodeState, valueOf, allHold } from "../support/nodes.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** A lock that is not renewed has to last while a server is restarted. */
const MAX_TTL_MS = 6_500;
const OPTIONS: LockManagerOptions = {
  ttlMs: MAX_TTL_MS,
  maxTtlMs: MAX_TTL_MS,
  nodeTimeoutMs: 2_000,
  renew: false,
};

const WAYS: Readonly<Record<string, (node: FleetNode) => Promise<void>>> = {
  "a restart": (node) => node.restart({ keepData: false }),
  FLUSHALL: (node) => node.flush(),
};

/** What the holder opens: its way to each node is its own. */
async function holderOf(fleet: RedisFleet, options = OPTIONS): Promise<LockManager> {
  const links = await fleet.linksFor("holder");
  const urls = links.map(({ url }) => url);
  return new LockManager(urls, options);
}

/**
 * The classic: A holds the name on nodes 0 and 1 and not on 2; node 1 forgets, so that 1 and 2
 * would make a quorum for somebody else.
 */
async function holdOnTwo(fleet: RedisFleet, holder: LockManager): Promise<Lock> {
  await allNodes(holder);
  const third = at(fleet.nodes, 2);
  await (await third.linkFor("holder")).refuse();
  await nodeState(holder, 2, "down");
  const lock = await holder.acquire("name", { waitMs: 0 });
  expect(await lockKeys([third])).to.deep.equal([]);
  return lock;
}

/** Tries again and again for as long as the lock is held; hands back how often that was. */
async function tryWhileHeld(lock: Lock, other: LockManager): Promise<number> {
  let count = 0;
  while (lock.isHeld) {
    const got = await other.tryAcquire("name").catch((error: unknown) => {
      expect(error).to.be.instanceOf(QuorumUnreachableError);
      return null;
    });
    // What is over when the answer is here proves nothing.
    if (lock.isHeld) expect(got, "a second holder").to.equal(null);
    await got?.release();
    count++;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return count;
}

/** The name stays with its holder, and a name that is free is not granted before the time. */
async function expectNoVote(
  forget: (node: FleetNode) => Promise<void>,
  isNew: boolean,
): Promise<void> {
  await using fleet = await RedisFleet.start({ nodes: 3 });
  await using holder = await holderOf(fleet);
  // As long as a try takes that a node without a vote leaves undecided.
  const options = { ...OPTIONS, nodeTimeoutMs: 500 };
  const before = isNew ? undefined : new LockManager(fleet.urls, options);
  if (before !== undefined) await allNodes(before);
  const lock = await holdOnTwo(fleet, holder);
  const [first, forgetful, third] = fleet.nodes as [FleetNode, FleetNode, FleetNode];
  const beforeMs = performance.now();
  await forget(forgetful);
  await using other = before ?? new LockManager(fleet.urls, options);
  expect(await valueOf(forgetful, "lock:name")).to.equal(null);

  expect(await tryWhileHeld(lock, other)).to.be.above(3);

  // Its first vote: without node 0, a quorum needs it.
  await lock.release();
  await first.pause();
  const next = await other.acquire("another", { waitMs: 40_000 });
  expect(performance.now() - beforeMs).to.be.above(MAX_TTL_MS);
  expect(await valueOf(forgetful, "lock:another")).to.equal(ownerIdOf(next));
  expect(await valueOf(third, "lock:another")).to.equal(ownerIdOf(next));
  await first.resume();
}

describe("A node that forgot", function () {
  this.timeout(90_000);

  for (const [way, forget] of Object.entries(WAYS)) {
    it(`by ${way} does not vote, until no lease can be left`, async () => {
      // For a client that was there, and for one that starts only then and saw nothing.
      await Promise.all([expectNoVote(forget, false), expectNoVote(forget, true)]);
    });

    it(`by ${way} would let a second holder in, without the quarantine`, async () => {
      const options = { ...OPTIONS, ttlMs: 40_000, maxTtlMs: 40_000, quarantine: "off" } as const;
      await using fleet = await RedisFleet.start({ nodes: 3 });
      await using holder = await holderOf(fleet, options);
      const lock = await holdOnTwo(fleet, holder);
      await forget(at(fleet.nodes, 1));
      await using other = new LockManager(fleet.urls, options);
      const second = await other.acquire("name", { waitMs: 20_000 });
      expect([lock.isHeld, second.isHeld]).to.deep.equal([true, true]);
      // This is what the fencing token is for.
      expect(second.fencingToken).to.be.above(lock.fencingToken ?? 0);
    });
  }

  it("says so: its state, how long it takes, and in the votes of an error", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    const states: string[] = [];
    locks.on("node", ({ node, state }) => {
      if (node.endsWith(`:${at(fleet.nodes, 1).port}`)) states.push(state);
    });
    await allNodes(locks);
    await at(fleet.nodes, 1).restart();
    await nodeState(locks, 1, "quarantined");
    expect(at(locks.nodes, 1).quarantineLeftMs).to.be.within(1, MAX_TTL_MS * 1.01 + 2);
    await at(fleet.nodes, 0).kill();
    await nodeState(locks, 0, "down");
    const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    expect(error.votes.map(({ fault }) => fault)).to.deep.equal([
      ...["disconnected", "quarantined", undefined],
    ]);
    expect(error.message).to.match(/1 quarantined/);
    // It is told, too, when it is over.
    await eventually("the event", () => states.at(-1) === "ready", 4 * MAX_TTL_MS);
    expect(states).to.include("quarantined");
    await locks.ready();
    const lock = await locks.acquire("name");
    await lock.release();
  });

  it("still counts for the locks that it remembers: extend is no acquire", async () => {
    await using fleet = await RedisFleet.start({
      nodes: 3,
      server: { appendonly: true, appendfsync: "always" },
    });
    const options = { ...OPTIONS, maxTtlMs: 60_000, ttlMs: 20_000, renew: true };
    await using locks = new LockManager(fleet.urls, options);
    await allNodes(locks);
    const lock = await locks.acquire("kept");
    await allHold(fleet.nodes, "kept");
    // One after the other, with their keys: each is quarantined, since it is not said to be durable.
    for (const node of fleet.nodes.slice(0, 2)) {
      await node.restart();
      await nodeState(locks, node.index, "quarantined");
    }
    await at(fleet.nodes, 2).kill();
    await lock.extend();
    expect(await lock.release()).to.equal("released");
    await rejectionWith(QuorumUnreachableError, locks.tryAcquire("kept"));
  });

  it("is judged by the longest ttl that any client has put on record", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using patient = new LockManager(fleet.urls, { ...OPTIONS, maxTtlMs: 60_000 });
    await allNodes(patient);
    await at(fleet.nodes, 1).restart();
    await using hasty = new LockManager(fleet.urls, OPTIONS);
    await nodeState(hasty, 1, "quarantined");
    expect(at(hasty.nodes, 1).quarantineLeftMs).to.be.above(20_000);
  });
});

describe("A node that is durable", function () {
  this.timeout(60_000);
  const DURABLE = { appendonly: true, appendfsync: "always" } as const;
  const LONG = { ...OPTIONS, ttlMs: 60_000, maxTtlMs: 60_000 };
  const open = (fleet: RedisFleet, durable: boolean): LockManager =>
    new LockManager(
      fleet.urls.map((url) => ({ url, durable })),
      LONG,
    );

  it("votes at once after a restart that kept its data, with all that it knew", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, server: DURABLE });
    await using locks = open(fleet, true);
    await allNodes(locks);
    const lock = await locks.acquire("name");
    await allHold(fleet.nodes, "name");
    await Promise.all(fleet.nodes.slice(0, 2).map((node) => node.restart()));
    await using other = open(fleet, true);
    await allNodes(other);
    expect(await other.tryAcquire("name")).to.equal(null);
    await allNodes(locks);
    await lock.extend();
    expect(await lock.release()).to.equal("released");
    const next = await other.acquire("name", { waitMs: 0 });
    expect(next.fencingToken).to.be.above(lock.fencingToken ?? 0);
  });

  for (const [what, durable, keepData] of [
    ["its data is gone", true, false],
    ["it is not said to be durable", false, true],
  ] as const) {
    it(`is quarantined all the same if ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3, server: DURABLE });
      await using locks = open(fleet, durable);
      await allNodes(locks);
      await at(fleet.nodes, 0).restart({ keepData });
      await nodeState(locks, 0, "quarantined");
      await using other = open(fleet, durable);
      await nodeState(other, 0, "quarantined");
    });
  }
});
