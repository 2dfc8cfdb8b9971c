import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { ForeignKeyError, LockLostError, LockManager, type Lock } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { brief } from "../support/brief.js";
import { allNodes, at } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import { aborted, eventually, rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const STEAL = { steal: true } as const;

for (const place of ALL_PLACES) {
  describe(`A stolen lock ${place.title}`, () => {
    const quorum = quorumAt(place);
    const { manager } = quorum;

    it("is lost at once in the preemptor's own manager, before the preemptor has it", async () => {
      const locks = manager();
      const told: unknown[] = [];
      locks.on("lost", (event) => told.push(event));
      const held = await Promise.all([
        locks.acquire("name", { mode: "shared" }),
        locks.acquire("name", { mode: "shared" }),
      ]);
      const token = await locks.request("name", STEAL, (lock) => {
        expect(held.map(({ isHeld }) => isHeld)).to.deep.equal([false, false]);
        lock.assertHeld();
        return lock.fencingToken;
      });
      for (const lock of held) {
        expect(lock.signal.reason).to.be.instanceOf(LockLostError);
        expect(lock.signal.reason).to.include({ reason: "stolen", name: "AbortError" });
        expect(token).to.be.above(lock.fencingToken ?? Infinity);
        expect(await lock.release()).to.equal("expired");
      }
      expect(told).to.deep.equal(held.map(() => ({ name: "name", reason: "stolen" })));
    });

    it("is not given to a waiter of another manager before the preemptor has it", async () => {
      const [a, b] = [manager(), manager()];
      await a.acquire("name");
      const waiting = b.acquire("name", { waitMs: 5_000 });
      await eventually("it waits", () =>
        a.inspect("name").then((report) => report.waitingCount === 1),
      );
      const token = await a.request("name", STEAL, (lock) => lock.fencingToken);
      expect((await waiting).fencingToken).to.be.above(token ?? Infinity);
    });

    it("is not given to a waiter of another manager where a listener steals it again", async () => {
      const [a, b] = [manager(), manager()];
      const held = await a.acquire("name");
      const again = new Promise<number>((resolve) =>
        held.signal.addEventListener("abort", () => {
          void a.request("name", STEAL, (lock) => resolve(lock.fencingToken));
        }),
      );
      const waiting = b.acquire("name", { waitMs: 5_000 });
      await eventually("it waits", () =>
        a.inspect("name").then((report) => report.waitingCount === 1),
      );
      await rejectionWith(
        LockLostError,
        a.request("name", STEAL, () => {}),
      );
      expect((await waiting).fencingToken).to.be.above(await again);
    });

    it("is taken from another manager's holder, who finds out by the next renewal", async () => {
      const [a, b] = [manager(brief(6_000)), manager()];
      const preempted = await a.acquire("name");
      await b.request("name", STEAL, async (preemptor) => {
        expect(preemptor.fencingToken).to.be.above(preempted.fencingToken ?? Infinity);
        // Both believe: the one who was preempted cannot know it yet, and its token is the lower one.
        await aborted(preempted.signal);
        expect(preempted.signal.reason).to.include({ reason: "taken", name: "LockLostError" });
        await preemptor.extend();
        expect(await a.tryAcquire("name")).to.equal(null);
      });
    });

    for (const { how, end } of [
      { how: "is stolen", end: (b: LockManager) => b.request("name", STEAL, () => {}) },
      { how: "is ended by force", end: (b: LockManager) => b.forceRelease("name") },
    ]) {
      it(`is no longer held once a waiter of its manager has the name, where it ${how} elsewhere`, async () => {
        const [a, b] = [manager(brief(6_000)), manager()];
        const first = await a.acquire("name");
        const waiting = a.acquire("name", { waitMs: 5_000 });
        await eventually("it waits", () => a.query().then(({ pending }) => pending.length === 1));
        await end(b);
        const second = await waiting;
        expect([first.isHeld, second.isHeld]).to.deep.equal([false, true]);
        expect(first.signal.reason).to.include({ reason: "taken", name: "LockLostError" });
        expect((await a.query()).held).to.have.length(1);
        await second.extend();
      });

      it(`is no longer held once its manager has the name again at once, where it ${how} elsewhere`, async () => {
        const [a, b] = [manager(brief(6_000)), manager()];
        const first = await a.acquire("name");
        await end(b);
        for (const again of ["name", ["name", "other"]]) {
          const second = await a.tryAcquire(again);
          expect([first.isHeld, second?.isHeld]).to.deep.equal([false, true]);
          expect(first.signal.reason).to.include({ reason: "taken", name: "LockLostError" });
          await second?.release();
        }
      });
    }

    it("cannot be extended, nor released from under the preemptor", async () => {
      const [a, b] = [manager(), manager()];
      const [renewed, released] = await Promise.all([a.acquire("1"), a.acquire("2")]);
      let preempting: Lock[] = [];
      await b.request("1", STEAL, (one) =>
        b.request("2", STEAL, async (two) => {
          preempting = [one, two];
          await rejectionWith(LockLostError, renewed.extend());
          expect(await released.release()).to.equal("expired");
          await Promise.all(preempting.map((preemptor) => preemptor.extend()));
        }),
      );
      expect(preempting).to.have.length(2);
    });

    it("of several names is lost as a whole", async () => {
      const [a, b] = [manager(), manager()];
      const preempted = await a.acquire(["x", "y"]);
      const other = await b.acquire(["v", "w"]);
      await b.request("y", STEAL, async () => {
        await rejectionWith(LockLostError, preempted.extend());
        expect(await b.request("x", () => "x is free")).to.equal("x is free");
      });
      await b.request("v", STEAL, async () => {
        expect(other.signal.reason).to.include({ reason: "stolen" });
        expect(await a.request("w", () => "w is free")).to.equal("w is free");
      });
    });

    it("of an owner, and of a semaphore, is lost with all its holds", async () => {
      const [a, b] = [manager(), manager()];
      const owner = { owner: "job" };
      const permits = a.semaphore("2", { permits: 2 });
      const preempted = [
        ...[await a.acquire("1", owner), await a.acquire("1", owner)],
        ...[await permits.acquire(), await permits.acquire()],
      ];
      const own = await b.acquire("1", { owner: "job" });
      for (const name of ["1", "2"]) {
        await b.request(name, STEAL, async () => {
          expect(own.isHeld).to.equal(false);
          for (const lock of preempted.splice(0, 2))
            await rejectionWith(LockLostError, lock.extend());
        });
      }
      expect(preempted).to.deep.equal([]);
      expect(await permits.request(() => "free")).to.equal("free");
    });

    it("is had although its name is kept closed", async () => {
      const [a, b] = [manager(), manager()];
      const delayed = await a.acquire("1", { lockDelayMs: 10_000 });
      const early = await a.acquire("2", { minHoldMs: 5_000 });
      await early.release();
      expect(await b.tryAcquire("2")).to.equal(null);
      for (const name of ["1", "2"]) {
        expect(await a.request(name, { ...STEAL, waitMs: 0 }, (lock) => lock.name)).to.equal(name);
      }
      expect(delayed.signal.reason).to.include({ reason: "stolen" });
      await b.request("1", { waitMs: 5_000 }, () => {});
      await b.request("2", { waitMs: 5_000 }, () => {});
    });

    it("is preempted from oneself, inside of one's own callback", async () => {
      const locks = manager();
      const outcome = locks.request("name", { reentrant: true }, async (lock) => {
        await locks.request("name", STEAL, () => expect(lock.isHeld).to.equal(false));
      });
      expect(await rejectionWith(LockLostError, outcome)).to.include({ reason: "stolen" });
    });

    it("of a leader ends its term", async () => {
      const [a, b] = [manager(), manager()];
      let termCount = 0;
      for await (const term of a.elect("name")) {
        if (++termCount === 2) break;
        const preemptor = termCount === 1 ? a : b;
        await preemptor.request("name", STEAL, () => {
          expect(term.signal.aborted).to.equal(true);
        });
      }
      expect(termCount).to.equal(2);
    });

    it("goes to those who wait when the preemptor is done, and never to two of one manager", async () => {
      const all = [manager(), manager()];
      const tokens: number[] = [];
      const inside = all.map(() => new Set<Lock>());
      const errors: string[] = [];
      const asking = Array.from({ length: 60 }, async (_, n) => {
        const which = n % 2;
        const options = n % 5 === 0 ? STEAL : {};
        try {
          await at(all, which).request("name", options, async (lock) => {
            const others = at(inside, which);
            for (const other of others) expect(other.isHeld).to.equal(false);
            others.add(lock);
            tokens.push(lock.fencingToken ?? Number.NaN);
            await new Promise((resolve) => setTimeout(resolve, n % 4));
            others.delete(lock);
          });
        } catch (error) {
          expect(error).to.be.instanceOf(LockLostError);
          errors.push((error as LockLostError).reason);
        }
      });
      await Promise.all(asking);
      expect(new Set(tokens).size).to.equal(tokens.length);
      expect(tokens.length + errors.length).to.be.at.least(60);
    });

    it("is not had where the key is somebody's data", async () => {
      for (const node of quorum.alive) await node.command("SET", "lock:name", "data");
      const error = await rejectionOf(manager().request("name", STEAL, () => {}));
      expect(error).to.be.instanceOf(ForeignKeyError);
      for (const node of quorum.alive) {
        expect(await node.command("GET", "lock:name")).to.equal("data");
        await node.command("DEL", "lock:name");
      }
    });
  });
}

describe("A preemption without a quorum", () => {
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(() => fleet.stop());

  it("says so, and what was had is given back: a holder elsewhere has it renewed", async () => {
    const links = await fleet.linksFor("preemptor");
    const options = { ...PATIENT, ttlMs: 60_000 };
    await using a = new LockManager(fleet.urls, options);
    await using b = new LockManager(
      links.map(({ url }) => url),
      options,
    );
    await Promise.all([allNodes(a), allNodes(b)]);
    const held = await a.acquire("name");
    const owners = (): Promise<unknown[]> =>
      Promise.all(fleet.nodes.map((node) => node.command("GET", "lock:name")));
    await Promise.all(links.slice(1).map((link) => link.refuse()));
    await eventually(
      "it is cut off",
      () => b.nodes.filter(({ state }) => state === "ready").length === 1,
    );
    const asked = b.request("name", { ...STEAL, waitMs: 50 }, () => {});
    await rejectionWith(QuorumUnreachableError, asked);
    await eventually("given back", async () => (await owners()).includes(null));
    await eventually("it is everywhere again", async () => {
      await held.extend();
      return (await owners()).every((owner) => owner === ownerIdOf(held));
    });
    expect(await held.release()).to.equal("released");
  });
});
