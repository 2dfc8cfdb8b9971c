import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { ClosedError, PermitsMismatchError, type Lock, type Semaphore } from "../../src/index.js";
import { at } from "../support/nodes.js";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import { eventually, rejectionWith } from "../support/settle.js";

for (const place of ALL_PLACES) {
  describe(`A semaphore that is resized ${place.title}`, () => {
    const quorum = quorumAt(place);

    /** The same semaphore in several managers, which look by themselves only after a while. */
    async function semaphores(name: string, ...permits: number[]): Promise<Semaphore[]> {
      const managers = permits.map(() => quorum.manager({ retry: { maxDelayMs: 20_000 } }));
      await Promise.all(managers.map((locks) => locks.ready()));
      return managers.map((locks, index) => locks.semaphore(name, { permits: at(permits, index) }));
    }

    it("K4: lets waiters in at once where it grows, in the order in which they came", async () => {
      const [one, other] = (await semaphores("grows", 2, 2)) as [Semaphore, Semaphore];
      const held = await one.acquire({ permits: 2 });
      const order: number[] = [];
      const waiting = [1, 2, 3].map(async (count) => {
        await sleep(count * 20);
        // Another may pass one that is not, where its attempt fails.
        const lock = await other.acquire({ fair: true });
        order.push(count);
        return lock;
      });
      await sleep(100);
      expect(order).to.deep.equal([]);
      const sinceMs = performance.now();
      await one.resize(5);
      const locks = await Promise.all(waiting);
      expect(performance.now() - sinceMs).to.be.below(2_000);
      expect(order).to.deep.equal([1, 2, 3]);
      expect(locks.map(({ permit }) => permit)).to.have.members([2, 3, 4]);
      expect(held.isHeld).to.equal(true);
      expect([one.permits, other.permits]).to.deep.equal([5, 5]);
      expect(await one.tryAcquire()).to.equal(null);
    });

    it("W1: gives fair calls their permits in order, also where they ask how many there are", async () => {
      const [one, other] = (await semaphores("in order", 1, 1)) as [Semaphore, Semaphore];
      await one.resize(3);
      const order: number[] = [];
      const waiting = [3, 2, 1].map(async (permits) => {
        const lock = await other.acquire({ permits, fair: true });
        order.push(permits);
        await lock.release();
      });
      await Promise.all(waiting);
      expect(order).to.deep.equal([3, 2, 1]);
    });

    it("K4: lets holders finish where it shrinks, and admits no more than the new number", async () => {
      const [one, other] = (await semaphores("shrinks", 4, 4)) as [Semaphore, Semaphore];
      const locks: Lock[] = [];
      for (const semaphore of [one, other, one, other]) locks.push(await semaphore.acquire());
      await one.resize(2);
      for (const lock of locks) await lock.extend();
      expect(await at(locks, 3).release()).to.equal("released");
      expect(await at(locks, 2).release()).to.equal("released");
      expect([await one.tryAcquire(), await other.tryAcquire()]).to.deep.equal([null, null]);
      expect([await one.available(), await other.available()]).to.deep.equal([0, 0]);
      await at(locks, 1).release();
      expect((await other.tryAcquire())?.permit).to.equal(1);
    });

    it("keeps its size while nobody holds it, whatever number users give", async () => {
      const [one, two, three] = (await semaphores("stays", 1, 2, 3)) as [
        Semaphore,
        Semaphore,
        Semaphore,
      ];
      await one.resize(4);
      expect(await two.available()).to.equal(4);
      expect(two.permits, "as it was told").to.equal(4);
      const all = await three.acquire({ permits: 4 });
      expect(all.permits).to.deep.equal([0, 1, 2, 3]);
      expect(await two.tryAcquire()).to.equal(null);
      await all.release();
      const wrong = await rejectionWith(RangeError, three.acquire({ permits: 5 }));
      expect(wrong.message).to.equal("`permits` must be at most the 4 of the semaphore, got 5");
    });

    it("a different number is an error as long as it was not resized", async () => {
      const [one, other] = (await semaphores("differs", 2, 3)) as [Semaphore, Semaphore];
      const lock = await one.acquire();
      await rejectionWith(PermitsMismatchError, other.acquire());
      await rejectionWith(PermitsMismatchError, other.available());
      await other.resize(3);
      const taken = await other.acquire({ permits: 2 });
      expect(taken.permits).to.deep.equal([1, 2]);
      expect(lock.isHeld).to.equal(true);
      await lock.extend();
    });

    it("several at a time: one is the last, for all", async () => {
      const all = await semaphores("race", 2, 2, 2, 2);
      await Promise.all(all.map((semaphore, index) => semaphore.resize(3 + index)));
      const counts = await Promise.all(all.map((semaphore) => semaphore.available()));
      expect(new Set(counts).size).to.equal(1);
      expect(all.map(({ permits }) => permits)).to.deep.equal(counts);
    });

    it("refuses those who wait for more than there are by now, and lets others in", async () => {
      const [one, other, third] = (await semaphores("many", 4, 4, 4)) as [
        Semaphore,
        Semaphore,
        Semaphore,
      ];
      const held = await one.acquire({ permits: 2 });
      const large = rejectionWith(RangeError, other.acquire({ permits: 4 }));
      await sleep(50);
      const behind = [other.acquire(), third.acquire()];
      await sleep(50);
      await one.resize(3);
      await held.release();
      expect((await large).message).to.equal(
        "`permits` must be at most the 3 of the semaphore, got 4",
      );
      const numbers = (await Promise.all(behind)).map(({ permit }) => permit ?? -1);
      expect(Math.max(...numbers)).to.be.below(3);
    });

    it("gives nobody fewer than it wants who does not know that there are so few", async () => {
      const [one, two, three] = (await semaphores("few", 4, 4, 4)) as [
        Semaphore,
        Semaphore,
        Semaphore,
      ];
      await one.resize(2);
      await rejectionWith(RangeError, two.acquire({ permits: 4 }));
      await rejectionWith(RangeError, three.tryAcquire({ permits: 3 }));
    });

    it("counts what a quorum has free", async () => {
      const [one, other] = (await semaphores("counted", 10, 10)) as [Semaphore, Semaphore];
      expect(await one.available()).to.equal(10);
      const three = await one.acquire({ permits: 3 });
      const lock = await other.acquire();
      await eventually("all nodes have them", async () => (await other.available()) === 6);
      await three.release();
      await eventually("all nodes have it", async () => (await one.available()) === 9);
      await lock.release();
    });

    it("is refused with a bad number, and once its manager is closed", async () => {
      const locks = quorum.manager();
      const semaphore = locks.semaphore("refused", { permits: 2 });
      for (const [permits, type] of [
        [0, RangeError],
        [10_001, RangeError],
        [1.5, RangeError],
        ["3", TypeError],
        [undefined, TypeError],
      ] as const) {
        const error = await rejectionWith(type, semaphore.resize(permits as number));
        expect(error.message).to.match(/^`permits` must be /);
      }
      await rejectionWith(
        TypeError,
        (semaphore.resize as (...all: unknown[]) => Promise<void>)(1, {}),
      );
      await rejectionWith(TypeError, semaphore.available(...([{}] as unknown as [])));
      await locks.close();
      await rejectionWith(ClosedError, semaphore.resize(3));
      await rejectionWith(ClosedError, semaphore.available());
    });
  });
}
