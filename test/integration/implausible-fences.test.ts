import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager, type QuorateWarning } from "../../src/index.js";
import { MAX_FENCE } from "../../src/protocol/fencing.js";
import { companionKey, fenceBucketOf, RECORD_KEY } from "../../src/protocol/keys.js";
import { MAX_SIZE_VERSION } from "../../src/protocol/semaphore-size.js";
import { RedisFleet, type FleetNode } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys, nodeState } from "../support/nodes.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { describeWithClocks } from "../support/with-clocks.js";

/** Short, so that a node that lost its data soon votes again. */
const OPTIONS = { ttlMs: 2_000, maxTtlMs: 2_000, nodeTimeoutMs: 500, clockStepMs: 0 } as const;
const BUCKET = fenceBucketOf("lock:name");
const [HOUR_MS, YEAR_MS] = [3_600_000, 365.25 * 86_400_000];

/** Whose fence of the name somebody overwrites. */
async function spoil(node: FleetNode, fence: number): Promise<void> {
  await node.command("HSET", RECORD_KEY, BUCKET, fence, "top", fence);
}

function warningsOf(locks: LockManager): QuorateWarning[] {
  const warnings: QuorateWarning[] = [];
  locks.on("warning", (warning) => warnings.push(warning));
  return warnings;
}

/** The highest fence that a node has of anything. */
async function highestOf(node: FleetNode): Promise<number> {
  const fields = (await node.command("HGETALL", RECORD_KEY)) as readonly string[];
  const fences = fields.flatMap((field, index) =>
    /^(?:\d+|top|floor)$/.test(field) && index % 2 === 0 ? Number(fields[index + 1]) : [],
  );
  return Math.max(0, ...fences);
}

async function lockTimes(locks: LockManager, count: number): Promise<number> {
  let last = 0;
  for (let round = 0; round < count; round++) {
    await locks.request("name", (lock) => {
      expect(lock.fencingToken).to.be.above(last);
      last = lock.fencingToken;
    });
  }
  return last;
}

describe("A node with an absurd fence", function () {
  this.timeout(30_000);

  for (const fence of [MAX_FENCE, MAX_FENCE - 1, MAX_FENCE - 1_000]) {
    it(`of ${fence} spoils the name for nobody, and is named in a warning`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const broken = at(fleet.nodes, 2);
      await using locks = new LockManager(fleet.urls, OPTIONS);
      await allNodes(locks);
      const warnings = warningsOf(locks);
      await spoil(broken, fence);
      const last = await lockTimes(locks, 20);
      expect(last / 1_000).to.be.within(Date.now() - HOUR_MS, Date.now() + HOUR_MS);
      await noLockKeys(fleet.nodes);
      for (const node of fleet.nodes.slice(0, 2)) expect(await highestOf(node)).to.equal(last);
      await eventually("the warning", () => warnings.length > 0);
      expect(warnings).to.have.length(1);
      expect(at(warnings, 0).code).to.equal("QUORATE_IMPLAUSIBLE_FENCE");
      expect(at(warnings, 0).message)
        .to.include(`127.0.0.1:${broken.port}: `)
        .and.include("delete the key quorate:incarnation there");
    });
  }

  it("does not pass it on to the others where an operator ends a lock", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    warningsOf(locks);
    const lock = await locks.acquire("name");
    await spoil(at(fleet.nodes, 2), MAX_FENCE);
    expect(await locks.forceRelease("name")).to.include({ isQuorate: true });
    await noLockKeys(fleet.nodes);
    expect(await lockTimes(locks, 3)).to.be.above(lock.fencingToken);
  });

  it("is a fault of its own kind where no quorum is left, and votes again after the remedy", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    warningsOf(locks);
    const before = await lockTimes(locks, 1);
    const broken = fleet.nodes.slice(1);
    await spoil(at(broken, 0), MAX_FENCE);
    await spoil(at(broken, 1), MAX_FENCE - 10);
    const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    expect(error.votes.map(({ fault }) => fault ?? "")).to.include("implausible");
    expect(error.message)
      .to.include("with an implausible fence")
      .and.include("delete the key quorate:incarnation there");
    for (const node of broken) await node.command("DEL", RECORD_KEY);
    await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    await allNodes(locks);
    expect(await lockTimes(locks, 3)).to.be.above(before);
  });

  it("does not pass it on to a node that asks for fences because it lost its own", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    const [forgetful, honest, broken] = fleet.nodes as [FleetNode, FleetNode, FleetNode];
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const warnings = warningsOf(locks);
    const before = await lockTimes(locks, 1);
    await broken.command("HSET", RECORD_KEY, "top", MAX_FENCE);
    await forgetful.flush();
    await eventually("it is quarantined", async () => {
      await lockTimes(locks, 1);
      return at(locks.nodes, 0).state === "quarantined";
    });
    await nodeState(locks, 0, "ready");
    expect(await highestOf(forgetful)).to.be.within(before, before + HOUR_MS * 1_000);
    expect(warnings.map(({ code }) => code)).to.include("QUORATE_IMPLAUSIBLE_FENCE");
    await broken.link.refuse();
    await nodeState(locks, 2, "down");
    expect(await lockTimes(locks, 3)).to.be.above(before);
    expect(await highestOf(honest)).to.be.below(before + HOUR_MS * 1_000);
  });
});

describe("A node with an absurd size of a semaphore", () => {
  it("does not bring it to the others, which go on, and can resize it", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const managers = [0, 1].map(() => new LockManager(fleet.urls, OPTIONS));
    await using one = at(managers, 0);
    await using other = at(managers, 1);
    await Promise.all([allNodes(one), allNodes(other)]);
    const size = companionKey("size", "lock:name");
    await at(fleet.nodes, 2).command("SET", size, `semaphore:1@${MAX_SIZE_VERSION}`);
    const semaphore = one.semaphore("name", { permits: 3 });
    const permits = [await semaphore.acquire(), await semaphore.acquire()];
    expect(permits.map(({ permit }) => permit)).to.deep.equal([0, 1]);
    await semaphore.resize(5);
    await other.semaphore("name", { permits: 3 }).resize(4);
    expect(await semaphore.available()).to.equal(2);
    for (const node of fleet.nodes.slice(0, 2))
      expect(await node.command("GET", size)).to.match(/^semaphore:4@\d{13}$/);
  });

  it("does not bring it to the others where an operator ends the holders of permits", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const semaphore = locks.semaphore("name", { permits: 3 });
    await semaphore.acquire({ ttlMs: 2_000 });
    const absurd = `semaphore:1@${MAX_SIZE_VERSION}`;
    const size = companionKey("size", "lock:name");
    for (const key of ["lock:name", size])
      await at(fleet.nodes, 0).command("SET", key, absurd, "PX", 10_000);
    expect(await locks.forceRelease("name")).to.include({ isQuorate: true });
    for (const node of fleet.nodes.slice(1)) expect(await node.command("GET", size)).to.equal(null);
    await semaphore.resize(4);
    expect(await semaphore.available()).to.equal(4);
  });
});

describeWithClocks("Clocks that are off", () => {
  for (const [what, byMs] of [
    ["an hour ahead", HOUR_MS],
    ["an hour behind", -HOUR_MS],
    ["a year ahead", YEAR_MS],
    ["a year behind", -YEAR_MS],
    ["forty years ahead, as if ours were behind", 40 * YEAR_MS],
  ] as const) {
    it(`of all nodes, ${what}, make no fence implausible`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3, server: { clock: true } });
      for (const { clock } of fleet.nodes) clock.jump(byMs);
      await using locks = new LockManager(fleet.urls, OPTIONS);
      const warnings = warningsOf(locks);
      await lockTimes(locks, 5);
      expect(warnings.map(({ code }) => code)).to.not.include("QUORATE_IMPLAUSIBLE_FENCE");
    });
  }

  it("of one node, by a year, make no fence implausible, whichever it is and wherever it is set to", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, server: { clock: true } });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    const warnings = warningsOf(locks);
    await allNodes(locks);
    for (const { clock } of fleet.nodes) {
      clock.jump(YEAR_MS);
      await lockTimes(locks, 3);
      clock.jump(-2 * YEAR_MS);
      await lockTimes(locks, 3);
      clock.jump(YEAR_MS);
    }
    expect(warnings.map(({ code }) => code)).to.not.include("QUORATE_IMPLAUSIBLE_FENCE");
  });
});
