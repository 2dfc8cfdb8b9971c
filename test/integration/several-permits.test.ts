import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { WaitTimeoutError } from "../../src/api/errors.js";
import type { Lock, Semaphore } from "../../src/index.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { companionKey } from "../../src/protocol/keys.js";
import { at } from "../support/nodes.js";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import { eventually, rejectionWith } from "../support/settle.js";

const numbersOf = (lock: Lock | null): readonly number[] | undefined => lock?.permits;

for (const place of ALL_PLACES) {
  describe(`Several permits at once ${place.title}`, () => {
    const quorum = quorumAt(place);
    const { manager } = quorum;

    /** The same semaphore in several managers. */
    async function semaphores(name: string, permits: number, count = 2): Promise<Semaphore[]> {
      const managers = Array.from({ length: count }, () => manager());
      await Promise.all(managers.map((locks) => locks.ready()));
      return managers.map((locks) => locks.semaphore(name, { permits }));
    }

    it("are the smallest that are free, all or nothing", async () => {
      const [left, right] = (await semaphores("numbers", 5)) as [Semaphore, Semaphore];
      const one = await left.acquire();
      const three = await right.acquire({ permits: 3 });
      expect([numbersOf(one), numbersOf(three), three.permit]).to.deep.equal([[0], [1, 2, 3], 1]);
      expect(await left.tryAcquire({ permits: 2 })).to.equal(null);
      await rejectionWith(WaitTimeoutError, right.acquire({ permits: 2, waitMs: 30 }));
      const last = await left.tryAcquire();
      expect(numbersOf(last), "nothing of what was refused is left").to.deep.equal([4]);
      expect(last?.fencingToken).to.be.above(three.fencingToken);
      expect(await one.release()).to.equal("released");
      expect(numbersOf(await right.tryAcquire())).to.deep.equal([0]);
      await three.extend();
      expect(await three.release()).to.equal("released");
      expect(numbersOf(await left.tryAcquire({ permits: 3 }))).to.deep.equal([1, 2, 3]);
      const wrong = await rejectionWith(RangeError, left.acquire({ permits: 6 }));
      expect(wrong.message).to.equal("`permits` must be at most the 5 of the semaphore, got 6");
    });

    it("K3: have the smallest numbers again once others have gone, whichever process asks", async () => {
      const [left, right] = (await semaphores("worker", 1_024)) as [Semaphore, Semaphore];
      /** A node to which a step of the other process is still on its way takes both for contenders. */
      const allHave = (count: number): Promise<void> =>
        eventually(`${count} are taken on all nodes`, async () => {
          const key = companionKey("numbers", keysOf("lock:", "worker").lockKey);
          const numbers = quorum.alive.map((node) => node.command("ZRANGE", key, 0, -1));
          return (await Promise.all(numbers)).every((all) => (all as unknown[]).length === count);
        });
      const workers: Lock[] = [];
      for (const semaphore of [left, right, left, right]) {
        workers.push(await semaphore.acquire());
        await allHave(workers.length);
      }
      expect(workers.map(({ permit }) => permit)).to.deep.equal([0, 1, 2, 3]);
      await at(workers, 1).release();
      await at(workers, 2).release();
      await allHave(2);
      expect(numbersOf(await left.acquire())).to.deep.equal([1]);
      await allHave(3);
      expect(numbersOf(await right.acquire({ permits: 2 }))).to.deep.equal([2, 4]);
    });

    it("K2: a request for all is not starved by requests for one", async () => {
      const [small, large] = (await semaphores("pool", 3)) as [Semaphore, Semaphore];
      const end = new AbortController();
      let grantCount = 0;
      const stream = async (): Promise<void> => {
        while (!end.signal.aborted) {
          await small.request(() => sleep(5));
          grantCount++;
        }
      };
      const streams = Array.from({ length: 6 }, stream);
      await eventually("a stream", () => grantCount > 3);
      const all = await large.acquire({ permits: 3, waitMs: 5_000 });
      expect(numbersOf(all)).to.deep.equal([0, 1, 2]);
      const count = grantCount;
      await sleep(50);
      expect(grantCount, "nobody is let in beside it").to.be.within(count, count + 3);
      await all.release();
      end.abort();
      await Promise.all(streams);
    });

    it("are never held twice by processes that ask for different numbers of them", async () => {
      const permits = 7;
      const all = await semaphores("mixed", permits, 3);
      const held = new Set<number>();
      const callers = all.flatMap((semaphore) =>
        [1, 2, 3, 5].map(async (wanted) => {
          for (let round = 0; round < 8; round++) {
            await semaphore.request({ permits: wanted, waitMs: 20_000 }, async (lock) => {
              expect(lock.permits).to.have.lengthOf(wanted);
              for (const number of lock.permits ?? []) {
                expect(number).to.be.within(0, permits - 1);
                expect(held.has(number), `number ${number}`).to.equal(false);
                held.add(number);
              }
              await sleep(1);
              for (const number of lock.permits ?? []) held.delete(number);
            });
          }
        }),
      );
      await Promise.all(callers);
      expect(held.size).to.equal(0);
    });

    // What redis-semaphore promises of its multi-semaphores, and Redisson of its semaphores.
    it("of two that want two of three, the second waits for the first", async () => {
      const [first, second] = (await semaphores("multi", 3)) as [Semaphore, Semaphore];
      const one = await first.acquire({ permits: 2 });
      await rejectionWith(WaitTimeoutError, second.acquire({ permits: 2, waitMs: 50 }));
      const waiting = second.acquire({ permits: 2 });
      await sleep(20);
      await one.release();
      const two = await waiting;
      expect(numbersOf(two)).to.have.lengthOf(2);
      await two.release();
      expect(numbersOf(await first.tryAcquire({ permits: 3 }))).to.deep.equal([0, 1, 2]);
    });

    it("a request that loses a race holds nothing", async () => {
      const all = await semaphores("race", 3, 3);
      for (let round = 0; round < 5; round++) {
        const locks = await Promise.all(
          all.map((semaphore) => semaphore.tryAcquire({ permits: 2 })),
        );
        const had = locks.filter((lock) => lock !== null);
        expect(had.length).to.be.at.most(1);
        for (const lock of had) await lock.release();
        const whole = await at(all, round % 3).acquire({ permits: 3, waitMs: 2_000 });
        await whole.release();
      }
    });
  });
}
