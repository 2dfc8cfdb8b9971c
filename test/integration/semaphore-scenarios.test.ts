import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  DEFAULTS,
  LockLostError,
  type Lock,
  type LockManager,
  type LockManagerOptions,
  type Semaphore,
} from "../../src/index.js";
import { at, pttlOf, queueSize, type Commanded } from "../support/nodes.js";
import { ALL_PLACES, itOnServers, quorumAt } from "../support/quorums.js";
import { aborted, eventually, rejectionWith } from "../support/settle.js";

/** Of a lease that is to end, and yet more than a busy machine stands still for. */
const TTL_MS = 600;
/** Such a lease: nobody renews it. */
const UNRENEWED = { ttlMs: TTL_MS, renew: false } as const;

/** What Redisson's own tests make of its semaphores: docs/internals/tested.md says what comes from which. */
for (const place of ALL_PLACES) {
  describe(`Scenarios of Redisson's semaphores ${place.title}`, () => {
    const quorum = quorumAt(place);

    async function open(options: LockManagerOptions = {}): Promise<LockManager> {
      const locks = quorum.manager(options);
      await locks.ready();
      return locks;
    }

    const several = (count: number): Promise<LockManager[]> =>
      Promise.all(Array.from({ length: count }, () => open()));

    /** The same semaphore in two processes. */
    async function two(name: string, permits: number): Promise<[Semaphore, Semaphore]> {
      const of = async (): Promise<Semaphore> => (await open()).semaphore(name, { permits });
      return [await of(), await of()];
    }

    /** Waits: what another process did is seen once the last node has it, and it waits for a quorum only. */
    async function comesTo(semaphore: Semaphore, count: number): Promise<void> {
      await eventually(`${count} are available`, async () => {
        return (await semaphore.available()) === count;
      });
    }

    /** Waits until so many processes stand in the queue of each node. */
    async function waiting(name: string, count: number): Promise<void> {
      await eventually(`${count} wait`, async () => {
        const sizes = await Promise.all(quorum.alive.map((node) => queueSize(node, name)));
        return sizes.every((size) => size === count);
      });
    }

    /** What has been granted so far. */
    function grantOf(acquiring: Promise<Lock | null>): { lock?: Lock | null } {
      const seen: { lock?: Lock | null } = {};
      // The test awaits it, too, and hears of the error.
      acquiring.then(
        (lock) => (seen.lock = lock),
        () => {},
      );
      return seen;
    }

    it("the number that is set stays, whatever number a later user gives", async () => {
      const [one, other] = [await open(), await open()];
      const set = one.semaphore("set", { permits: 10 });
      await set.resize(10);
      const later = other.semaphore("set", { permits: 15 });
      expect([await later.available(), later.permits, await set.available()]).to.deep.equal([
        10, 10, 10,
      ]);
      const all = await later.acquire({ permits: 10 });
      expect(await later.tryAcquire()).to.equal(null);
      await all.release();
    });

    it("all of a semaphore are available that nobody has ever used", async () => {
      const [one] = await two("unused", 3);
      expect(await one.available()).to.equal(3);
    });

    it("counts down and up with each acquire and release, of one or of several", async () => {
      const [one] = await two("counted", 10);
      const counts: number[] = [];
      for (const permits of [1, 5, 6]) {
        const lock = await one.acquire({ permits });
        expect(lock.permits).to.have.lengthOf(permits);
        counts.push(await one.available());
        expect(await lock.release()).to.equal("released");
        counts.push(await one.available());
      }
      expect(counts).to.deep.equal([9, 10, 5, 10, 4, 10]);
    });

    it("what was acquired is given back once, and nothing else is", async () => {
      const [one] = await two("once", 10);
      const [four, rest] = [await one.acquire({ permits: 4 }), await one.acquire({ permits: 2 })];
      const counts = [await one.available()];
      for (const lock of [four, rest, four, rest]) {
        await lock.release();
        counts.push(await one.available());
      }
      expect(counts, "a second release adds no permit").to.deep.equal([4, 8, 10, 10, 10]);
      const all = await one.acquire({ permits: 10 });
      await four.release();
      expect(await one.tryAcquire(), "nor does it free one of others").to.equal(null);
      expect(all.isHeld).to.equal(true);
    });

    it("nobody is removed under a fingerprint that nobody has", async () => {
      const [one, other] = [await open(), await open()];
      const lock = await one.semaphore("unknown", { permits: 1 }).acquire();
      const result = await other.forceRelease("unknown", { fingerprint: "1234" });
      expect(result.removed).to.deep.equal([]);
      await lock.extend();
      expect(await lock.release()).to.equal("released");
    });

    it("no permits are no request, and no semaphore", async () => {
      const [one, other] = [await open(), await open()];
      const semaphore = one.semaphore("zero", { permits: 1 });
      await rejectionWith(RangeError, semaphore.acquire({ permits: 0 }));
      await rejectionWith(RangeError, semaphore.tryAcquire({ permits: 0, waitMs: 600_000 }));
      expect(() => other.semaphore("zero", { permits: 0 })).to.throw(RangeError);
      for (const count of [0, -9]) await rejectionWith(RangeError, semaphore.resize(count));
      expect(await semaphore.available()).to.equal(1);
    });

    it("permits that are added while all are held are available at once", async () => {
      const [one, other] = await two("added", 10);
      const ten = await one.acquire({ permits: 10 });
      const counts = [await one.available()];
      await one.resize(14);
      counts.push(await one.available());
      await ten.release();
      counts.push(await one.available());
      expect(counts).to.deep.equal([0, 4, 14]);
      expect((await other.acquire({ permits: 5 })).permits).to.have.lengthOf(5);
      await comesTo(one, 9);
    });

    it("with fewer permits than are held none is available, and never fewer than none", async () => {
      const [one, other] = await two("reduced", 10);
      const ten = await one.acquire({ permits: 10 });
      await one.resize(5);
      expect([await one.available(), await other.tryAcquire()]).to.deep.equal([0, null]);
      await ten.extend();
      await ten.release();
      expect(await one.available()).to.equal(5);
      expect((await one.acquire({ permits: 5 })).permits).to.deep.equal([0, 1, 2, 3, 4]);
      expect([await one.available(), await one.tryAcquire()]).to.deep.equal([0, null]);
    });

    it("is resized up, down, and to what it has, with and without holders", async () => {
      const locks = await open();
      const semaphore = locks.semaphore("resized", { permits: 10 });
      const seen = async (): Promise<number[]> => {
        const { holders } = await locks.inspect("resized");
        return [semaphore.permits, await semaphore.available(), holders.length];
      };
      for (const count of [10, 15, 15, 5]) {
        await semaphore.resize(count);
        expect(await seen()).to.deep.equal([count, count, 0]);
      }
      const held: Lock[] = [];
      for (let count = 0; count < 3; count++) held.push(await semaphore.acquire());
      expect(await seen()).to.deep.equal([5, 2, 3]);
      await semaphore.resize(3);
      expect(await seen()).to.deep.equal([3, 0, 3]);
      await semaphore.resize(2);
      expect(await seen(), "one is held too many").to.deep.equal([2, 0, 3]);
      await at(held, 2).release();
      expect(await seen()).to.deep.equal([2, 0, 2]);
      await at(held, 1).release();
      expect(await seen()).to.deep.equal([2, 1, 1]);
    });

    it("a request for more than there are is let in by permits that are added", async () => {
      const [one, other] = await two("more", 1);
      await rejectionWith(RangeError, other.acquire({ permits: 2 }));
      await one.resize(2);
      const held = await one.acquire();
      const large = other.acquire({ permits: 2 });
      await waiting("more", 1);
      expect(await one.tryAcquire(), "nobody passes it").to.equal(null);
      await one.resize(3);
      expect((await large).permits).to.deep.equal([1, 2]);
      expect(held.isHeld).to.equal(true);
      await comesTo(one, 0);
    });

    it("an acquire waits until the only permit is released", async () => {
      const [one, other] = await two("blocked", 1);
      const held = await one.acquire();
      const acquiring = other.acquire();
      const seen = grantOf(acquiring);
      await waiting("blocked", 1);
      expect([await one.available(), seen.lock]).to.deep.equal([0, undefined]);
      await held.release();
      expect((await acquiring).permit).to.equal(0);
      expect(await other.tryAcquire()).to.equal(null);
      await comesTo(one, 0);
    });

    for (const method of ["acquire", "tryAcquire"] as const) {
      it(`${method} of four waits for two releases, not for one`, async () => {
        const name = `four by ${method}`;
        const [one, other] = await two(name, 5);
        const held = [await one.acquire(), await one.acquire(), await one.acquire()];
        expect(await one.available()).to.equal(2);
        expect(await one.tryAcquire({ permits: 4 })).to.equal(null);
        const acquiring: Promise<Lock | null> = other[method]({ permits: 4, waitMs: 20_000 });
        const seen = grantOf(acquiring);
        await waiting(name, 1);
        await at(held, 0).release();
        await sleep(100);
        expect(seen.lock, "three are not enough").to.equal(undefined);
        await at(held, 1).release();
        expect((await acquiring)?.permits).to.have.lengthOf(4);
        expect(at(held, 2).isHeld).to.equal(true);
        await comesTo(one, 0);
      });
    }

    it("tryAcquire that waits in vain has nothing, and leaves nothing", async () => {
      const [one, other] = await two("in vain", 5);
      const held = await one.acquire({ permits: 3 });
      const sinceMs = performance.now();
      expect(await other.tryAcquire({ permits: 4, waitMs: 100 })).to.equal(null);
      expect(performance.now() - sinceMs).to.be.at.least(99);
      await waiting("in vain", 0);
      await comesTo(one, 2);
      expect((await one.tryAcquire({ permits: 2 }))?.permits).to.deep.equal([3, 4]);
      expect(held.isHeld).to.equal(true);
    });

    it("tryAcquire of several takes all of them or none", async () => {
      const [one] = await two("several", 10);
      const first = await one.tryAcquire({ permits: 4 });
      const second = await one.tryAcquire({ permits: 5 });
      expect([first?.permits, second?.permits]).to.deep.equal([
        [0, 1, 2, 3],
        [4, 5, 6, 7, 8],
      ]);
      expect(await one.available()).to.equal(1);
      expect(await one.tryAcquire({ permits: 2 })).to.equal(null);
      expect(await one.available()).to.equal(1);
    });

    it("what is left can be taken by its number, if nobody else was faster", async () => {
      const [one, other] = await two("drained", 10);
      const three = await one.acquire({ permits: 3 });
      const left = await one.available();
      const rest = await one.tryAcquire({ permits: left });
      expect([left, rest?.permits]).to.deep.equal([7, [3, 4, 5, 6, 7, 8, 9]]);
      await comesTo(other, 0);
      expect(await other.tryAcquire({ permits: left }), "no fewer instead").to.equal(null);
      expect(three.isHeld).to.equal(true);
    });

    for (const [title, managerCount, callerCount, rounds] of [
      ["of one process", 1, 15, 1],
      ["of a process each", 15, 1, 1],
      ["of a process each, again and again", 8, 1, 8],
    ] as const) {
      it(`with one permit, callers ${title} change a counter one after another`, async () => {
        const all = await several(managerCount);
        let counter = 0;
        const caller = async (locks: LockManager): Promise<void> => {
          const semaphore = locks.semaphore(`counter ${title}`, { permits: 1 });
          for (let round = 0; round < rounds; round++) {
            await semaphore.request(async () => {
              const before = counter;
              await sleep(1);
              counter = before + 1;
            });
          }
        };
        await Promise.all(
          all.flatMap((locks) => Array.from({ length: callerCount }, () => caller(locks))),
        );
        expect(counter).to.equal(managerCount * callerCount * rounds);
      });
    }

    it("with ten permits, ten callers of several processes are inside at once, and no more", async () => {
      const permits = 10;
      const all = await several(5);
      let [inside, most, servedCount] = [0, 0, 0];
      const caller = (locks: LockManager): Promise<void> =>
        locks.semaphore("ten", { permits }).request(async () => {
          most = Math.max(most, ++inside);
          await eventually("there have been ten", () => most >= permits);
          inside--;
          servedCount++;
        });
      await Promise.all(all.flatMap((locks) => Array.from({ length: 6 }, () => caller(locks))));
      expect([most, inside, servedCount]).to.deep.equal([permits, 0, 30]);
    });

    it("callers that want all of the most permits there can be, or one of them", async () => {
      const permits = 10_000;
      const all = await several(4);
      let [ones, wholes, servedCount] = [0, 0, 0];
      const caller = async (locks: LockManager, number: number): Promise<void> => {
        const semaphore = locks.semaphore("most", { permits });
        for (let round = 0; round < 2; round++) {
          const isWhole = (number + round) % 2 === 0;
          await semaphore.request({ permits: isWhole ? permits : 1 }, async () => {
            if (isWhole) wholes++;
            else ones++;
            const isAlone = wholes === 0 || (wholes === 1 && ones === 0);
            expect(isAlone, `${wholes} with all and ${ones} with one`).to.equal(true);
            await sleep(5);
            if (isWhole) wholes--;
            else ones--;
            servedCount++;
          });
        }
      };
      await Promise.all(all.map(caller));
      expect(servedCount).to.equal(4 * 2);
    });

    it("leases that nobody renews end, and what they had is available again", async () => {
      const locks = await open();
      const semaphore = locks.semaphore("leases", { permits: 2 });
      const other = (await open()).semaphore("leases", { permits: 2 });
      const holderCount = async (): Promise<number> => {
        return (await locks.inspect("leases")).holders.length;
      };
      const first = await semaphore.tryAcquire({ waitMs: 200, ...UNRENEWED, ttlMs: 1_500 });
      expect([await semaphore.available(), await holderCount()]).to.deep.equal([1, 1]);
      const second = await semaphore.tryAcquire({ waitMs: 200, ...UNRENEWED, ttlMs: 1_500 });
      expect([await semaphore.available(), await holderCount()]).to.deep.equal([0, 2]);
      expect(await semaphore.tryAcquire({ waitMs: 50 })).to.equal(null);
      expect([first?.isHeld, second?.isHeld], "nobody had to wait so long").to.deep.equal([
        true,
        true,
      ]);
      const fourth = await other.tryAcquire({ waitMs: 20_000, ...UNRENEWED });
      expect([first?.isHeld, fourth?.permit]).to.deep.equal([false, first?.permit]);
      await comesTo(semaphore, 2);
      expect([second?.isHeld, fourth?.isHeld]).to.deep.equal([false, false]);
      await eventually("nobody is shown any more", async () => (await holderCount()) === 0);
      expect(semaphore.permits).to.equal(2);
    });

    for (const method of ["acquire", "tryAcquire"] as const) {
      it(`whoever waits has the permit once the lease of ${method} is over, not before`, async () => {
        const [one, other] = await two(`expired by ${method}`, 1);
        const old = (await one[method]({ waitMs: 20_000, ...UNRENEWED })) as Lock;
        const next = await other.acquire();
        expect([old.isHeld, old.signal.aborted]).to.deep.equal([false, true]);
        expect(await old.release()).to.equal("expired");
        await next.extend();
        expect(await one.tryAcquire(), "the late release freed nothing").to.equal(null);
        expect(await next.release()).to.equal("released");
      });
    }

    it("a lease is lengthened, never shortened, and not at all once it is over", async () => {
      const [one, other] = await two("lengthened", 1);
      const lock = await one.acquire(UNRENEWED);
      expect(lock.remainingMs).to.be.within(1, TTL_MS);
      await lock.extend(6_000);
      expect(await other.tryAcquire({ waitMs: TTL_MS + 200 })).to.equal(null);
      await lock.extend(100);
      expect(lock.remainingMs).to.be.above(TTL_MS);
      await lock.release();
      expect(lock.remainingMs).to.equal(0);
      await rejectionWith(LockLostError, lock.extend());

      const ended = await one.acquire(UNRENEWED);
      await aborted(ended.signal);
      expect(ended.remainingMs).to.equal(0);
      await rejectionWith(LockLostError, ended.extend(6_000));
      expect(await other.acquire()).to.have.property("permit", 0);
    });

    it("of several locks of one process, those end whose lease is over, and the others count", async () => {
      const [one] = await two("some", 10);
      const timed = await one.acquire({ permits: 3, ...UNRENEWED });
      const kept = await one.acquire({ permits: 3 });
      const more = await one.acquire();
      expect(await one.available()).to.equal(3);
      await aborted(timed.signal);
      await comesTo(one, 6);
      expect(await kept.release()).to.equal("released");
      expect(await one.available()).to.equal(9);
      expect([await timed.release(), await kept.release()]).to.deep.equal(["expired", "released"]);
      expect(await one.available(), "both had been given back").to.equal(9);
      await more.extend();
    });

    it("names with another prefix are other semaphores", async () => {
      const plain = await open();
      const options = { keyPrefix: "test::" };
      const [one, other] = [await open(options), await open(options)];
      const of = (locks: LockManager): Semaphore => locks.semaphore("prefixed", { permits: 1 });
      const held = await of(one).acquire();
      expect(await of(other).tryAcquire()).to.equal(null);
      const beside = await of(plain).tryAcquire();
      expect([held.isHeld, beside?.isHeld]).to.deep.equal([true, true]);
      expect(await held.release()).to.equal("released");
    });

    itOnServers(place, "all keys of a semaphore end by themselves, and are gone then", async () => {
      const [one] = await two("left behind", 2);
      const ttlMs = 1_500;
      const found = async (): Promise<(readonly [Commanded, string])[]> => {
        const each = quorum.alive.map(async (node) => {
          const keys = (await node.command("KEYS", "*left behind*")) as string[];
          return keys.map((key) => [node, key] as const);
        });
        return (await Promise.all(each)).flat();
      };
      await one.acquire({ ...UNRENEWED, ttlMs });
      // The process would release what its lease is over for; one that is killed would not.
      const keys = await found();
      expect(keys.length).to.be.above(0);
      for (const [node, key] of keys) {
        expect(await pttlOf(node, key), key).to.be.within(1, ttlMs + DEFAULTS.clockStepMs);
      }
      await eventually("they are gone", async () => (await found()).length === 0);
    });
  });
}
