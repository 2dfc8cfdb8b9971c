import { expect } from "chai";
import { Redis } from "ioredis";
import { MixedLayoutError } from "../../src/api/node-errors.js";
import { LockLostError, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { HandWrittenLock } from "../support/hand-written.js";
import { at, noLockKeys, valueOf } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionWith } from "../support/settle.js";

const UNITS = [
  { layout: "timestamp", unit: "ms", unitMs: 1 },
  { layout: "timestamp-seconds", unit: "s", unitMs: 1_000 },
] as const;

for (const { layout, unit, unitMs } of UNITS) {
  describe(`Beside code written by hand, in ${unit}`, () => {
    let fleet: RedisFleet;
    let redis: Redis;
    let locks: LockManager;
    const theirs = (name = "name"): HandWrittenLock => {
      return new HandWrittenLock(redis, `lock:${name}`, unit);
    };

    before(async () => {
      fleet = await RedisFleet.start({ nodes: 1 });
      redis = new Redis(at(fleet.urls, 0));
      locks = new LockManager(fleet.urls, {
        ...PATIENT,
        layout,
        ttlMs: 5_000,
        retry: { maxDelayMs: 100 },
      });
    });
    after(async () => {
      redis.disconnect();
      await locks.close();
      await fleet.stop();
    });
    afterEach(() => redis.del("lock:name"));

    it("excludes it, and tells it until when", async () => {
      const before = Date.now();
      const lock = await locks.acquire("name");
      const saysMs = Number(await redis.get("lock:name")) * unitMs;
      expect(saysMs).to.be.within(before + 5_000, Date.now() + 7_000);
      expect(await theirs().tryLock(1_000)).to.equal(false);
      await lock.extend();
      expect(Number(await redis.get("lock:name")) * unitMs).to.be.at.least(saysMs);
      expect(await lock.release()).to.equal("released");
      expect(await theirs().tryLock(1_000)).to.equal(true);
    });

    it("is excluded by it, waits, and has it once it is released", async () => {
      const other = theirs();
      expect(await other.tryLock(20_000)).to.equal(true);
      const before = await redis.get("lock:name");
      expect(await locks.tryAcquire("name")).to.equal(null);
      const waiting = locks.acquire("name", { waitMs: 20_000 });
      expect(await redis.get("lock:name")).to.equal(before);
      await other.unlock();
      const lock = await waiting;
      expect(await lock.release()).to.equal("released");
    });

    it("takes over what ran out, by one of many", async () => {
      await redis.set("lock:name", Math.floor((Date.now() - 3_000) / unitMs));
      const all = Array.from({ length: 5 }, () => locks.tryAcquire("name"));
      const [lock, ...others] = (await Promise.all(all)).filter((each) => each !== null);
      expect(others).to.deep.equal([]);
      expect(await theirs().tryLock(1_000)).to.equal(false);
      expect(await lock?.release()).to.equal("released");
    });

    it("ends by itself when its holder is gone, and the other side goes on", async () => {
      const gone = new LockManager(fleet.urls, { ...PATIENT, layout });
      await gone.acquire("name", { ttlMs: 3_000, renew: false });
      expect(await theirs().tryLock(1_000)).to.equal(false);
      await eventually("it is had", () => theirs().tryLock(10_000));
      await gone.close();
      // What closing released was not its own any more.
      expect(await redis.exists("lock:name")).to.equal(1);
    });

    it("is lost where the other side overwrote it, which stays as it is", async () => {
      const lock = await locks.acquire("name", { renew: false });
      const ours = await redis.get("lock:name");
      expect(await theirs().loseTheRace(10_000)).to.equal(ours);
      const theirStamp = await redis.get("lock:name");
      const error = await rejectionWith(LockLostError, lock.extend());
      expect(error.reason).to.equal("taken");
      await lock.release();
      expect(await redis.get("lock:name")).to.equal(theirStamp);
      expect(await redis.exists("quorate:stamp:{lock:name}")).to.equal(0);
    });

    it("notices an overwriting even with the very same timestamp", async () => {
      const lock = await locks.acquire("name", { renew: false });
      await redis.set("lock:name", (await redis.get("lock:name")) ?? "");
      await rejectionWith(LockLostError, lock.extend());
      await lock.release();
      expect(await redis.exists("lock:name")).to.equal(1);
    });

    it("hands on among us, with a token that grows", async () => {
      const tokens = await Promise.all(
        Array.from({ length: 6 }, () => {
          return locks.request("name", { waitMs: 20_000 }, (lock) => lock.fencingToken ?? 0);
        }),
      );
      expect(new Set(tokens).size).to.equal(6);
      expect(await redis.exists("lock:name")).to.equal(0);
    });

    it("says so where the other side uses another unit", async () => {
      const endsAt = Date.now() + 10_000;
      await redis.set("lock:name", unit === "ms" ? Math.floor(endsAt / 1_000) : endsAt);
      const error = await rejectionWith(MixedLayoutError, locks.acquire("name"));
      expect(error.expected).to.equal(layout);
      expect(error.found).to.be.oneOf(["timestamp", "timestamp-seconds"]).and.not.equal(layout);
    });
  });
}

describe("Beside code written by hand on five nodes, one of them killed", () => {
  it("excludes, is excluded, and takes over what ran out, on a quorum", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5 });
    await using locks = new LockManager(fleet.urls, { ...PATIENT, layout: "timestamp" });
    await locks.ready();
    await at(fleet.nodes, 4).kill();
    const alive = fleet.nodes.slice(0, 4);
    const clients = alive.map(({ url }) => new Redis(url));
    const theirs = clients.map((redis) => new HandWrittenLock(redis, "lock:name", "ms"));
    const lock = await locks.acquire("name");
    await eventually("all have it", async () => {
      const values = await Promise.all(alive.map((node) => valueOf(node, "lock:name")));
      return !values.includes(null);
    });
    const had = await Promise.all(theirs.map((other) => other.tryLock(1_000)));
    expect(had).to.deep.equal([false, false, false, false]);
    await lock.extend();
    expect(await lock.release()).to.equal("released");
    await noLockKeys(alive);
    // Three of five: nobody else can have a quorum.
    await Promise.all(theirs.slice(0, 3).map((other) => other.tryLock(60_000)));
    expect(await locks.tryAcquire("name")).to.equal(null);
    await eventually("it was given back where it was free", async () => {
      return (await valueOf(at(alive, 3), "lock:name")) === null;
    });
    await Promise.all(theirs.slice(0, 2).map((other) => other.unlock()));
    const standing = await valueOf(at(alive, 2), "lock:name");
    const again = await locks.acquire("name", { waitMs: 10_000 });
    await again.release();
    expect(await valueOf(at(alive, 2), "lock:name")).to.equal(standing);
    for (const redis of clients) await redis.set("lock:name", Date.now() - 2_000);
    expect(await (await locks.acquire("name")).release()).to.equal("released");
    await noLockKeys(alive);
    for (const redis of clients) redis.disconnect();
  });
});
