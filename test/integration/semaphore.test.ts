import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { LockContendedError, WaitTimeoutError } from "../../src/api/errors.js";
import { ForeignKeyError, PermitsMismatchError, type Lock } from "../../src/index.js";
import { at, queueSize } from "../support/nodes.js";
import { ALL_PLACES, itOnServers, quorumAt } from "../support/quorums.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const CONTENDER = fileURLToPath(new URL("../support/permit-contender.js", import.meta.url));

for (const place of ALL_PLACES) {
  describe(`Semaphores ${place.title}`, () => {
    const quorum = quorumAt(place);
    const { manager } = quorum;

    it("K1: as many as there are permits hold one each, and no more", async () => {
      const [a, b] = [manager(), manager()];
      await Promise.all([a.ready(), b.ready()]);
      const [left, right] = [a, b].map((locks) => locks.semaphore("gpu", { permits: 4 }));
      if (left === undefined || right === undefined) throw new Error("no semaphores");
      const locks = await Promise.all([
        left.acquire(),
        right.acquire(),
        left.tryAcquire(),
        right.acquire(),
      ]);
      const permits = locks.map((lock) => lock?.permit);
      expect(permits).to.have.members([0, 1, 2, 3]);
      const tokens = locks.map((lock) => lock?.fencingToken ?? 0);
      expect(new Set(tokens).size).to.equal(4);
      expect([await left.tryAcquire(), await right.tryAcquire()]).to.deep.equal([null, null]);
      await rejectionWith(WaitTimeoutError, left.acquire({ waitMs: 30 }));
      await rejectionWith(LockContendedError, left.acquire({ waitMs: 0 }));

      expect(await locks[2]?.release()).to.equal("released");
      await at(locks, 0)?.extend();
      const another = await right.tryAcquire();
      expect(another?.permit, "the only one that is free").to.equal(at(permits, 2));
      expect(another?.fencingToken).to.be.above(Math.max(...tokens));
    });

    it("finds the one that is free among many, without waiting", async () => {
      const semaphore = manager().semaphore("many", { permits: 200 });
      const locks = await Promise.all(Array.from({ length: 200 }, () => semaphore.acquire()));
      expect(new Set(locks.map(({ permit }) => permit)).size).to.equal(200);
      const locksOfOther = manager();
      await locksOfOther.ready();
      const other = locksOfOther.semaphore("many", { permits: 200 });
      expect(await other.tryAcquire()).to.equal(null);
      for (const lock of [locks[3], locks[77], locks[199]]) {
        await lock?.release();
        const had = await other.tryAcquire();
        expect(had?.permit).to.equal(lock?.permit);
        await had?.release();
        await lock?.release();
        expect((await semaphore.tryAcquire())?.permit).to.equal(lock?.permit);
      }
    });

    itOnServers(
      place,
      "K1: contenders of two processes are never more than there are permits",
      async () => {
        const permits = 3;
        const children = [0, 1].map(() =>
          fork(CONTENDER, [
            JSON.stringify({ urls: quorum.fleet.urls, permits, count: 6, rounds: 5 }),
          ]),
        );
        const events: { inside: boolean; atUs: number; permit: number }[] = [];
        for (const child of children) {
          child.on("message", (told) => void events.push(...(told as typeof events)));
        }
        const codes = await Promise.all(children.map((child) => once(child, "exit")));
        expect(codes.map(([code]) => code)).to.deep.equal([0, 0]);
        // A process may be seen to have ended before what it told is read.
        await eventually("both have told", () => events.length === 2 * 2 * 6 * 5);
        const inside = new Map<number, number>();
        let count = 0;
        // At one and the same microsecond whoever leaves goes first.
        for (const event of events.toSorted((x, y) => x.atUs - y.atUs || +x.inside - +y.inside)) {
          count += event.inside ? 1 : -1;
          expect(count).to.be.at.most(permits);
          const ofPermit = (inside.get(event.permit) ?? 0) + (event.inside ? 1 : -1);
          inside.set(event.permit, ofPermit);
          expect(ofPermit, `of permit ${event.permit}`).to.be.at.most(1);
        }
        expect(count, "left as often as entered").to.equal(0);
      },
    );

    it("a holder that crashed gives its permit back when its own ttl is over", async () => {
      const [a, b] = [manager(), manager()];
      const options = { permits: 2, ttlMs: 4_500 };
      const kept = await a.semaphore("name", options).acquire();
      // As good as crashed: nobody renews or releases it.
      const dead = await b.semaphore("name", { ...options, renew: false }).acquire();
      const order: string[] = [];
      dead.signal.addEventListener("abort", () => order.push("lost"));
      const next = await a.semaphore("name", { permits: 2 }).acquire();
      order.push("next");
      expect(order).to.deep.equal(["lost", "next"]);
      expect(next.permit).to.equal(dead.permit);
      expect(kept.isHeld, "renewed meanwhile").to.equal(true);
      expect(dead.signal.reason).to.have.property("reason", "expired");
    });

    it("who waits is told, in the order of coming", async () => {
      // Whoever is not told looks again after ten seconds or more.
      const open = () => manager({ retry: { maxDelayMs: 20_000 } });
      const [a, b] = [open(), open()];
      const options = { permits: 2 };
      const held = await Promise.all([1, 2].map(() => a.semaphore("name", options).acquire()));
      const order: string[] = [];
      const waiting: Promise<unknown>[] = [];
      for (const who of ["first", "second", "third", "fourth"]) {
        const locks = waiting.length % 2 === 0 ? b : open();
        waiting.push(
          locks.semaphore("name", options).request(async () => {
            order.push(who);
            await sleep(20);
          }),
        );
        await eventually("it stands in the queue", async () => {
          const sizes = quorum.alive.map((node) => queueSize(node, "name"));
          const members = await Promise.all(sizes);
          // The third stands behind the first in the line of its process.
          return members.every(
            (size) => size === Math.min(waiting.length, who === "fourth" ? 3 : 2),
          );
        });
      }
      const beganMs = performance.now();
      for (const lock of held) await lock.release();
      await Promise.all(waiting);
      expect(order.toSorted()).to.deep.equal(["first", "fourth", "second", "third"]);
      expect(order.slice(0, 2).toSorted()).to.deep.equal(["first", "second"]);
      expect(performance.now() - beganMs, "nobody had to look by itself").to.be.below(10_000);
    });

    it("is told of its loss, and others go on", async () => {
      // A renewal that comes between the nodes would put back what it misses.
      const semaphore = manager({ renew: false }).semaphore("name", { permits: 2 });
      const kept = await semaphore.acquire();
      const taken = await semaphore.acquire();
      for (const node of quorum.alive) {
        const member = `${taken.permit}:${ownerIdOf(taken)}`;
        await node.command("ZREM", "quorate:permits:{lock:name}", member);
      }
      await rejectionWith(Error, taken.extend());
      expect(taken.signal.reason).to.include({ code: "QUORATE_LOST", reason: "taken" });
      await kept.extend();
      expect(kept.isHeld).to.equal(true);
    });

    it("shows who has which permit, and one or all of them can be ended by force", async () => {
      const [a, b] = [manager(), manager()];
      await Promise.all([a.ready(), b.ready()]);
      const semaphore = a.semaphore("name", { permits: 3, label: "a" });
      const locks = await Promise.all([semaphore.acquire(), semaphore.acquire()]);
      const seen = async (): Promise<(number | undefined)[]> => {
        const { holders } = await b.inspect("name");
        return holders.filter(({ isQuorate }) => isQuorate).map(({ permit }) => permit);
      };
      const permitsOf = (of: readonly Lock[]): (number | undefined)[] =>
        of.map((lock) => lock.permit);
      expect(await seen()).to.have.members(permitsOf(locks));
      const { state, holders } = await b.inspect("name");
      expect([state, ...new Set(holders.map(({ label }) => label))]).to.deep.equal(["held", "a"]);

      const one = at(holders, 0);
      const { fingerprint } = one;
      const { removed, isQuorate } = await b.forceRelease("name", { fingerprint });
      expect([removed.map(({ permit }) => permit), isQuorate]).to.deep.equal([[one.permit], true]);
      const ended = locks.filter(({ permit }) => permit === one.permit);
      const kept = locks.filter(({ permit }) => permit !== one.permit);
      await rejectionWith(Error, at(ended, 0).extend());
      expect(at(ended, 0).signal.reason).to.include({ reason: "taken" });
      await at(kept, 0).extend();
      expect(await seen()).to.have.members(permitsOf(kept));

      const more = await b.semaphore("name", { permits: 3 }).acquire();
      expect((await a.forceRelease("name")).removed).to.have.length(2);
      for (const lock of [...kept, more]) await rejectionWith(Error, lock.extend());
      expect(await seen()).to.deep.equal([]);
      expect(await a.tryAcquire("name")).to.not.equal(null);
    });

    it("another number of permits is an error at once, and changes nothing", async () => {
      const held = await manager().semaphore("name", { permits: 2 }).acquire();
      await eventually("all nodes know of it", async () => {
        const permits = await Promise.all(
          quorum.alive.map((node) => node.command("ZRANGE", "quorate:permits:{lock:name}", 0, -1)),
        );
        return permits.every((taken) => (taken as string[]).length === 1);
      });
      const locks = manager();
      await locks.ready();
      const other = locks.semaphore("name", { permits: 3 });
      for (const attempt of [() => other.acquire(), () => other.tryAcquire()]) {
        const error = await rejectionWith(PermitsMismatchError, attempt());
        expect(error).to.include({
          code: "QUORATE_PERMITS_MISMATCH",
          lockName: "name",
          permits: 3,
          foundPermits: 2,
        });
        expect(error.message).to.match(
          /^"name" is a semaphore of 2 permits on the nodes, not of 3: 0/,
        );
      }
      await held.extend();
      expect(await held.release()).to.equal("released");
      await (await other.acquire()).release();
    });

    it("keeps every other kind of lock out, and is kept out by each", async () => {
      const [a, b] = [manager(), manager()];
      await Promise.all([a.ready(), b.ready()]);
      const semaphore = a.semaphore("name", { permits: 2 });
      const kinds: [string, () => Promise<Lock | null>][] = [
        ["plain", () => b.tryAcquire("name")],
        ["shared", () => b.tryAcquire("name", { mode: "shared" })],
        ["a set", () => b.tryAcquire(["name", "another"])],
        ["of an owner", () => b.tryAcquire("name", { owner: "somebody" })],
      ];
      for (const [kind, attempt] of kinds) {
        const permit = await semaphore.acquire();
        expect(await attempt(), `${kind} beside a permit`).to.equal(null);
        await permit.release();
        const lock = await attempt();
        expect(lock?.isHeld, kind).to.equal(true);
        expect(await semaphore.tryAcquire(), `a permit beside ${kind}`).to.equal(null);
        const waiting = [semaphore.acquire(), semaphore.acquire()];
        await sleep(20);
        await lock?.release();
        for (const had of await Promise.all(waiting)) await had.release();
      }
      // What looks like data of somebody is refused as such.
      const hashes = manager({ layout: "redisson" });
      const permit = await semaphore.acquire();
      await rejectionWith(ForeignKeyError, hashes.tryAcquire("name"));
      await permit.extend();
      await permit.release();
      const lock = await hashes.acquire("name");
      await rejectionWith(ForeignKeyError, semaphore.tryAcquire());
      expect(await lock.release()).to.equal("released");
    });
  });
}
