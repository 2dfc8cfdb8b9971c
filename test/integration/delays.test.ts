import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  DEFAULTS,
  type AcquireOptions,
  type Lock,
  type LockManager,
  type LockManagerOptions,
} from "../../src/index.js";
import { driftMs } from "../../src/protocol/lease-times.js";
import { RENEWED_BY_MS } from "../../src/protocol/overdue.js";
import { lockKeys, pttlOf } from "../support/nodes.js";
import { PLACES, quorumAt } from "../support/quorums.js";
import { aborted, eventually, rejectionOf } from "../support/settle.js";

/**
 * Who is not told when to look, and cannot tell by the keys, looks far too late. So does an attempt that a busy
 * machine does not answer in time.
 */
const PATIENT: LockManagerOptions = {
  waitMs: 60_000,
  nodeTimeoutMs: 5_000,
  retry: { minDelayMs: 1, maxDelayMs: 60_000 },
  lossGraceMs: 10,
};

const DELAYED = { lockDelayMs: 200 } as const;
/** Of a ttl of 300 ms, from before it is asked for. */
const VALIDITY_MS = 300 - driftMs(300, 0.01);
const KEPT = { minHoldMs: 300 } as const;

interface Granted {
  readonly lock: Lock;
  readonly afterMs: number;
  readonly atMs: number;
}

for (const place of PLACES) {
  describe(`A name that stays closed ${place.title}`, function () {
    this.timeout(60_000);
    const quorum = quorumAt(place, PATIENT);
    const { manager } = quorum;

    /** The lock, and between which instants of this process's clock it was had, ms. */
    async function grantOf(pendingAcquire: Promise<Lock>): Promise<Granted> {
      const afterMs = performance.now();
      const lock = await pendingAcquire;
      return { lock, afterMs, atMs: performance.now() };
    }

    /** On a busy machine, it may be asked for so late that it is free. */
    async function expectClosed(locks: LockManager, untilMs: number): Promise<void> {
      const lock = await locks.tryAcquire("name");
      if (lock === null) return;
      expect(performance.now()).to.be.at.least(untilMs);
      await lock.release();
    }

    describe("after a loss: lockDelayMs", () => {
      const LOSSES: readonly (readonly [string, AcquireOptions])[] = [
        ["that ran out", { ttlMs: 300, renew: false }],
        ["that was held for too long", { ttlMs: 300, maxHoldMs: 50 }],
      ];
      for (const [what, options] of LOSSES) {
        it(`D1: of a lock ${what}, it is free only after the delay`, async () => {
          const [locks, others] = [manager(), manager()];
          await Promise.all([locks.ready(), others.ready()]);
          const { lock, afterMs } = await grantOf(
            locks.acquire("name", { ...options, ...DELAYED }),
          );
          const told = aborted(lock.signal);
          const overMs = afterMs + (options.maxHoldMs ?? VALIDITY_MS) + DELAYED.lockDelayMs;
          const [here, there] = [locks.acquire("name"), others.acquire("name")];
          await told;
          expect(await lock.release()).to.equal("expired");
          await expectClosed(others, overMs);
          // In the same process and in another: both look when the keys have run out.
          const next = await grantOf(Promise.race([here, there]));
          expect(next.atMs).to.be.at.least(overMs);
          expect(next.lock.fencingToken).to.be.above(lock.fencingToken ?? Infinity);
          await next.lock.release();
          for (const other of await Promise.all([here, there])) await other.release();
        });
      }

      it("also of readers, several names, owners and permits", async () => {
        const [locks, others] = [manager(), manager()];
        const lost = { ttlMs: 300, renew: false, ...DELAYED };
        await Promise.all([locks.ready(), others.ready()]);
        const overMs = performance.now() + VALIDITY_MS + DELAYED.lockDelayMs;
        const reader = await locks.acquire("read", { ...lost, mode: "shared" });
        const set = await locks.acquire(["a", "b"], lost);
        const owned = await locks.acquire("owned", { ...lost, owner: "job-17" });
        const permits = { permits: 1, waitMs: 60_000 };
        const permit = await locks.semaphore("permit", permits).acquire(lost);
        const grants = await Promise.all([
          grantOf(others.acquire("read")),
          grantOf(others.acquire("b")),
          grantOf(others.acquire("owned")),
          grantOf(others.semaphore("permit", permits).acquire()),
        ]);
        for (const { atMs } of grants) expect(atMs).to.be.at.least(overMs);
        const all = [reader, set, owned, permit];
        expect(all.map(({ isHeld }) => isHeld)).to.deep.equal([false, false, false, false]);
      });

      it("not after a release, nor when the manager closes", async () => {
        const [locks, others] = [manager(DELAYED), manager()];
        await locks.request("name", () => {});
        await (await others.acquire("name", { waitMs: 0 })).release();
        await locks.acquire("name");
        await locks.close();
        await eventually("it is free", async () => (await lockKeys(quorum.alive)).length === 0);
        await (await others.acquire("name", { waitMs: 0 })).release();
      });

      it("is in every key: granted, renewed and put back", async () => {
        const locks = manager({ ttlMs: 10_000, ...DELAYED });
        const startMs = performance.now();
        const lock = await locks.acquire("name");
        const longestMs = 10_200 + driftMs(200, 0.01) + DEFAULTS.clockStepMs;
        /** All keys last as long as keys that were set since then; a node beyond the quorum is asked a moment later. */
        const allLong = (sinceMs: number): Promise<void> =>
          eventually("all keys last for the delay, too", async () => {
            const asked = quorum.alive.map((node) => pttlOf(node, "lock:name"));
            const pttls = await Promise.all(asked);
            const passedMs = performance.now() - sinceMs;
            for (const pttl of pttls) expect(pttl).to.be.at.most(longestMs);
            return pttls.every((pttl) => pttl > longestMs - passedMs - 50);
          });
        await allLong(startMs);
        expect(lock.remainingMs).to.be.at.most(10_000 - driftMs(10_000, 0.01));
        // A server before Redis 7 moves the end of a key that was set this recently beyond the delay.
        await sleep(RENEWED_BY_MS);
        const extendMs = performance.now();
        await lock.extend();
        await allLong(extendMs);
        expect(lock.remainingMs).to.be.at.most(10_000 - driftMs(10_000, 0.01));
        if (place.nodeCount > 1) {
          await quorum.alive[0]?.command("DEL", "lock:name");
          await sleep(RENEWED_BY_MS);
          const againMs = performance.now();
          await lock.extend();
          await allLong(againMs);
        }
      });
    });

    describe("after an early release: minHoldMs", () => {
      it("D2: it is free only after the minimum, and a waiter gets it then", async () => {
        const [locks, others] = [manager(), manager()];
        await Promise.all([locks.ready(), others.ready()]);
        const { lock, afterMs } = await grantOf(locks.acquire("name", KEPT));
        const values = await Promise.all(quorum.alive.map((n) => n.command("GET", "lock:name")));
        const mine = values.find((value) => value !== null);
        // Both know only that the key lives for a ttl of 10 s.
        const [here, there] = [locks.acquire("name"), others.acquire("name")];
        expect(await others.tryAcquire("name")).to.equal(null);
        const released = lock.release();
        expect(lock).to.include({ isHeld: false, remainingMs: 0 });
        expect(await released).to.equal("released");
        expect(await lock.release()).to.equal("released");
        await expectClosed(others, afterMs + KEPT.minHoldMs);
        // A quorum has confirmed it; the others get to it a moment later.
        for (const node of quorum.alive) {
          await eventually("the key lives for the minimum only", async () => {
            // On a busy machine it may be the next holder's by now.
            if ((await node.command("GET", "lock:name")) !== mine) return true;
            return (await pttlOf(node, "lock:name")) <= 300 + driftMs(300, 0.01);
          });
        }
        const next = await grantOf(Promise.race([here, there]));
        expect(next.atMs - afterMs).to.be.at.least(KEPT.minHoldMs);
        await next.lock.release();
        for (const other of await Promise.all([here, there])) await other.release();
      });

      it("a release after that frees at once, for whoever is next", async () => {
        const [locks, others] = [manager(), manager()];
        const lock = await locks.acquire("name", { minHoldMs: 100 });
        const waiting = others.acquire("name");
        const signal = AbortSignal.timeout(150);
        await aborted(signal);
        expect(await lock.release()).to.equal("released");
        // By a turn: its own look would be ten seconds away.
        await (await waiting).release();
      });

      it("also of a lock that is lost, and of a manager that closes", async () => {
        const [locks, others] = [manager(), manager()];
        await Promise.all([locks.ready(), others.ready()]);
        const first = await grantOf(locks.acquire("lost", { ...KEPT, maxHoldMs: 50 }));
        const second = await grantOf(locks.acquire("closed", KEPT));
        const third = await grantOf(locks.acquire("requested", KEPT));
        await third.lock.release();
        await aborted(first.lock.signal);
        await locks.close();
        const grants = await Promise.all(
          ["lost", "closed", "requested"].map((name) => grantOf(others.acquire(name))),
        );
        [first, second, third].forEach(({ afterMs }, index) => {
          expect((grants[index]?.atMs ?? 0) - afterMs).to.be.at.least(KEPT.minHoldMs);
        });
      });

      it("does not keep out who says that it wants the name all the same", async () => {
        const [locks, others] = [manager(), manager()];
        const long = { minHoldMs: 5_000, lockDelayMs: 5_000 };
        for (const name of ["stolen", "ended", "given"]) {
          const lock = await locks.acquire(name, long);
          const given = name === "given" ? lock.handOver() : undefined;
          await lock.release();
          expect(await others.tryAcquire(name), name).to.equal(null);
          if (name === "ended") await others.forceRelease(name);
          const next =
            given === undefined
              ? others.request(name, { steal: name === "stolen" }, () => "in")
              : others.adopt(given).then((adopted) => adopted.release());
          expect(await next).to.equal(given === undefined ? "in" : "released");
        }
      });

      it("is for plain locks, and says so", async () => {
        const locks = manager();
        const shared = await rejectionOf(locks.acquire("name", { ...KEPT, mode: "shared" }));
        expect(shared).to.be.instanceOf(RangeError);
        expect(String(shared)).to.include("`minHoldMs` must be 0 for a shared lock, got 300");
        const several = await rejectionOf(locks.acquire(["a", "b"], KEPT));
        expect(String(several)).to.include(
          "`minHoldMs` must be 0 for a lock of several names, got 300",
        );
        const owned = await rejectionOf(locks.acquire("name", { ...KEPT, owner: "job-17" }));
        expect(String(owned)).to.include("`minHoldMs` must be 0 for a lock of an owner");
        const permit = await rejectionOf(locks.semaphore("name", { permits: 2 }).acquire(KEPT));
        expect(String(permit)).to.include("`minHoldMs` must be 0 for a permit, got 300");
        const hashes = manager({ layout: "redisson" });
        expect(() => hashes.elect("name", KEPT)).to.throw(RangeError);
        await (await locks.acquire(["a"], { minHoldMs: 1 })).release();
      });
    });
  });
}
