import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { brief } from "../support/brief.js";
import type { Redis } from "ioredis";
import { LockContendedError } from "../../src/api/errors.js";
import { ForeignKeyError, type Lock } from "../../src/index.js";
import { PLACES, quorumAt } from "../support/quorums.js";
import { rawClient } from "../support/raw.js";
import { RedissonThread } from "../support/redisson.js";
import { aborted, eventually, rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** Redisson has no prefix. */
const OPTIONS = { layout: "redisson", keyPrefix: "", waitMs: 20_000 } as const;

const orderOf = (field: string): string => ["mode", field].toSorted().join();

for (const place of PLACES) {
  describe(`The layout of Redisson ${place.title}`, () => {
    let clients: Redis[];
    // Before the fleet is stopped.
    after(() => {
      for (const client of clients) client.disconnect();
    });
    const quorum = quorumAt(place, OPTIONS, {
      allUp: async ({ nodes }) => {
        clients = await Promise.all(nodes.map((node) => rawClient(node)));
      },
      noneLeft: async (alive) => {
        await eventually("nothing is left", async () => {
          const found = await Promise.all(alive.map((node) => node.command("EXISTS", "name")));
          return found.every((count) => count === 0);
        });
      },
    });
    const { manager } = quorum;

    const redisson = (options = {}): RedissonThread => new RedissonThread(clients, options);

    /** A grant is made by a quorum, and the others get to it a moment later. */
    async function allHold(lock: Lock): Promise<void> {
      const ownerId = ownerIdOf(lock);
      await eventually("all nodes hold it", async () => {
        const counts = await Promise.all(
          quorum.alive.map((node) => node.command("HGET", "name", ownerId)),
        );
        return counts.every((count) => count === "1");
      });
    }

    // Whoever comes next waits for the dead one, in case all are new.
    before(() => manager().request("name", () => {}));

    for (const isOld of [false, true]) {
      it(`excludes Redisson ${isOld ? "of old" : "of today"}, and is excluded`, async () => {
        const [locks, thread] = [manager(), redisson({ isOld })];
        expect(await thread.tryLock("name", 20_000)).to.equal(undefined);
        expect(await locks.tryAcquire("name")).to.equal(null);
        const error = await rejectionWith(LockContendedError, locks.acquire("name", { waitMs: 0 }));
        expect(error.holderLabel).to.equal(thread.field);
        expect(error.remainingMs).to.be.within(1, 20_000);
        expect(await thread.unlock("name")).to.include(1);

        const lock = await locks.acquire("name", { waitMs: 0, ttlMs: 9_000 });
        expect(await thread.tryLock("name", 20_000)).to.be.within(1, 9_000);
        await lock.extend();
        await allHold(lock);
        expect(await lock.release()).to.equal("released");
        expect(await thread.tryLock("name", 20_000)).to.equal(undefined);
        await thread.unlock("name");
      });
    }

    it("is not entered while Redisson is in, however often; and is, when it has gone as often", async () => {
      const [locks, thread] = [manager(), redisson()];
      for (let count = 0; count < 3; count++) {
        expect(await thread.tryLock("name", 20_000)).to.equal(undefined);
      }
      for (let count = 0; count < 2; count++) {
        await thread.unlock("name");
        expect(await locks.tryAcquire("name")).to.equal(null);
      }
      const waiting = locks.acquire("name");
      await thread.unlock("name");
      await (await waiting).release();
    });

    it("wakes those of Redisson that wait, and waits for Redisson", async () => {
      const [locks, thread] = [manager(), redisson()];
      const lock = await locks.acquire("name", { ttlMs: 20_000 });
      // By itself it would look in twenty seconds.
      let isListening = false;
      const locking = thread.lock("name", 20_000, () => (isListening = true));
      await eventually("it listens, and was refused", () => isListening);
      await lock.release();
      expect((await locking).wokenCount).to.be.above(0);
      const waiting = locks.acquire("name");
      await sleep(30);
      await thread.unlock("name");
      await (await waiting).release();
    });

    it("is had when Redisson is gone without a word, and not before its watchdog was", async () => {
      const [locks, thread] = [manager(), redisson()];
      await thread.tryLock("name", 2_000);
      const [beganMs, leaseMs] = [performance.now(), 2_500];
      expect(await thread.renew("name", leaseMs)).to.include(1);
      const lock = await locks.acquire("name");
      expect(performance.now() - beganMs).to.be.at.least(leaseMs - 20);
      // On a node of a minority it may run out a moment later than we have the others.
      for (const answers of [await thread.renew("name", 400), await thread.unlock("name")]) {
        expect(answers.filter((answer) => answer === 1).length).to.be.below(place.nodeCount / 2);
      }
      await lock.extend();
      await lock.release();
    });

    it("is lost when somebody unlocks it by force", async () => {
      const [locks, thread] = [manager(brief(6_000)), redisson()];
      const lock = await locks.acquire("name");
      const lost = aborted(lock.signal);
      expect(await thread.forceUnlock("name")).to.include(1);
      expect(await thread.tryLock("name", 20_000)).to.equal(undefined);
      await lost;
      expect(lock.signal.reason).to.include({ code: "QUORATE_LOST", reason: "taken" });
      expect(await lock.release()).to.equal("expired");
      expect(await thread.holdCount("name")).to.equal(1);
      expect(await thread.unlock("name")).to.include(1);
    });

    for (const mode of ["read", "write"] as const) {
      it(`is lost to its read-write lock that comes in to ${mode}, whose lease stays`, async () => {
        const [locks, thread] = [manager(brief(6_000)), redisson()];
        const lock = await locks.acquire("name");
        await allHold(lock);
        const lost = aborted(lock.signal);
        // It looks at the field `mode` only, and not whether anybody is in.
        expect(await thread.tryReadWrite(mode, "name", 20_000)).to.include(null);
        await lost;
        expect(lock.signal.reason).to.include({ code: "QUORATE_LOST", reason: "taken" });
        await rejectionOf(lock.extend());
        await lock.release();
        const field = mode === "read" ? thread.field : thread.writeField;
        await eventually("nothing of ours is left", async () => {
          const all = await Promise.all(quorum.alive.map((n) => n.command("HKEYS", "name")));
          return all.every((fields) => (fields as string[]).toSorted().join() === orderOf(field));
        });
        for (const node of quorum.alive) {
          expect(Number(await node.command("PTTL", "name"))).to.be.above(10_000);
        }
        // Nor does anybody of ours come in, or wait.
        await rejectionWith(ForeignKeyError, locks.acquire("name"));
        expect(await thread.unlockReadWrite(mode, "name")).to.include(1);
        await using next = await locks.acquire("name", { waitMs: 0 });
        expect(next.isHeld).to.equal(true);
      });

      it(`is lost when its read-write lock has come in to ${mode}, and gone again`, async () => {
        const [locks, thread] = [manager(), redisson()];
        const lock = await locks.acquire("name", { renew: false });
        expect(await thread.tryReadWrite(mode, "name", 20_000)).to.include(null);
        // The nodes go on: they take no field of ours for a count of readers, and count it down.
        expect(await thread.unlockReadWrite(mode, "name")).to.include(1);
        await rejectionOf(lock.extend());
        await lock.release();
      });
    }

    it("stands beside Redisson for one owner, each as often as it entered", async () => {
      const thread = redisson({ field: "job-17" });
      const locks = manager();
      const owner = { owner: "job-17", waitMs: 0 };
      expect(await thread.tryLock("name", 20_000)).to.equal(undefined);
      const lock = await locks.acquire("name", owner);
      const again = await locks.acquire("name", owner);
      await eventually("all nodes count", async () => {
        const counts = await Promise.all(
          quorum.alive.map((n) => n.command("HGET", "name", "job-17")),
        );
        return counts.every((count) => count === "3");
      });
      await lock.release();
      await thread.unlock("name");
      expect(await redisson().tryLock("name", 20_000)).to.be.above(0);
      await again.release();
      expect(await redisson({ field: "x" }).tryLock("name", 50)).to.equal(undefined);
      await redisson({ field: "x" }).unlock("name");
    });

    it("takes turns with Redisson under contention", async () => {
      const all = [0, 1].map(() => manager({ retry: { maxDelayMs: 15 } }));
      let inside = 0;
      const turns = { ours: 0, theirs: 0 };
      const enter = async (who: keyof typeof turns): Promise<void> => {
        expect(++inside).to.equal(1);
        turns[who]++;
        await sleep(2);
        inside--;
      };
      const startMs = performance.now();
      const goesOn = (): boolean => {
        const passedMs = performance.now() - startMs;
        return passedMs < 600 || (passedMs < 30_000 && Math.min(turns.ours, turns.theirs) < 2);
      };
      const ours = all.map(async (locks) => {
        while (goesOn()) {
          await locks.request("name", () => enter("ours"));
          await sleep(Math.random() * 20);
        }
      });
      const theirs = [redisson(), redisson()].map(async (thread) => {
        while (goesOn()) {
          if ((await thread.tryLock("name", 20_000)) === undefined) {
            await enter("theirs");
            await thread.unlock("name");
          }
          await sleep(Math.random() * 20);
        }
      });
      await Promise.all([...ours, ...theirs]);
      expect(turns.ours).to.be.above(1);
      expect(turns.theirs).to.be.above(1);
    });

    it("elects leaders whom Redisson sees", async () => {
      await using election = manager().elect("name");
      const { value: term } = await election.next();
      expect(await redisson().tryLock("name", 20_000)).to.be.above(0);
      await term?.resign();
    });

    it("is told from the layout of Redlock, and neither touches the other", async () => {
      const [locks, others] = [manager(), manager({ layout: "redlock" })];
      const lock = await locks.acquire("name");
      await rejectionWith(ForeignKeyError, others.acquire("name"));
      await rejectionWith(ForeignKeyError, others.tryAcquire("name", { owner: "job" }));
      await lock.extend();
      await lock.release();
      const other = await others.acquire("name");
      await rejectionWith(ForeignKeyError, locks.acquire("name"));
      await other.extend();
      await other.release();
    });
  });
}
