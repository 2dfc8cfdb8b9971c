import { AsyncResource } from "node:async_hooks";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockContendedError, WaitTimeoutError } from "../../src/api/errors.js";
import { ReentryError } from "../../src/api/reentry-error.js";
import { LockLostError, type Lock } from "../../src/index.js";
import { brief } from "../support/brief.js";
import { freeByHand } from "../support/nodes.js";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import { aborted, rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const REENTRANT = { reentrant: true } as const;
const SHARED = { mode: "shared" } as const;

for (const place of ALL_PLACES) {
  describe(`Reentrant locks ${place.title}`, () => {
    const quorum = quorumAt(place);
    const { manager } = quorum;

    it("J1: are one lock with several handles; the last release frees it", async () => {
      const [locks, others] = [manager(), manager()];
      let kept: Lock | undefined;
      await locks.request("name", REENTRANT, async (outer) => {
        const inner = await locks.acquire("name", REENTRANT);
        const tried = await locks.tryAcquire("name", REENTRANT);
        const token = outer.fencingToken;
        for (const joined of [inner, tried as Lock]) {
          expect(joined).to.include({ fencingToken: token, isHeld: true });
          expect(ownerIdOf(joined)).to.equal(ownerIdOf(outer));
        }
        expect(inner).to.not.equal(outer);

        expect(await inner.release()).to.equal("released");
        expect(await inner.release(), "counts once").to.equal("released");
        expect(inner).to.include({ isHeld: false, remainingMs: 0 });
        expect(() => inner.assertHeld())
          .to.throw(LockLostError)
          .with.property("reason", "released");
        expect(inner.signal.aborted).to.equal(false);
        expect(outer.isHeld && tried?.isHeld).to.equal(true);

        const deep = await locks.request("name", REENTRANT, async (again) => {
          await sleep(1);
          return again.fencingToken;
        });
        expect(deep).to.equal(token);
        expect(await others.tryAcquire("name")).to.equal(null);
        kept = tried ?? undefined;
      });
      // In any order: the request is over, one handle is not.
      expect(kept?.isHeld).to.equal(true);
      expect(await others.tryAcquire("name")).to.equal(null);
      await kept?.extend();
      expect(await kept?.release()).to.equal("released");
      await using next = await others.acquire("name");
      expect(next.fencingToken).to.be.above(kept?.fencingToken ?? Infinity);
    });

    it("are told of by those who wait for their own caller without the option", async () => {
      const [locks, others] = [manager(), manager()];
      await locks.request("name", async () => {
        const own = await rejectionWith(WaitTimeoutError, locks.acquire("name", { waitMs: 30 }));
        expect(own).to.include({ isHeldHere: true, code: "QUORATE_WAIT_TIMEOUT" });
        const other = await rejectionWith(WaitTimeoutError, others.acquire("name", { waitMs: 30 }));
        expect(other.isHeldHere).to.equal(false);
      });
    });

    it("tell a loss to all handles that are not released", async () => {
      const locks = manager({ ...brief(6_000), lossGraceMs: 5_000 });
      const seen: unknown[] = [];
      const error = await rejectionWith(
        LockLostError,
        locks.request("name", REENTRANT, async () => {
          const [one, two] = [
            await locks.acquire("name", REENTRANT),
            await locks.acquire("name", REENTRANT),
          ];
          const { signal } = two;
          await two.release();
          await freeByHand(quorum.alive, "name");
          await aborted(one.signal);
          seen.push(one.isHeld, (one.signal.reason as LockLostError).reason, signal.aborted);
          seen.push((await rejectionWith(LockLostError, locks.acquire("name", REENTRANT))).reason);
          seen.push(await one.release());
          // What is lost is not in one's own way either.
          await using mine = await locks.acquire("name");
          seen.push(mine.isHeld);
        }),
      );
      expect(error.reason).to.equal("taken");
      expect(seen).to.deep.equal([false, "taken", false, "taken", "expired", true]);
    });

    it("are a typed error where one would wait for oneself", async () => {
      const locks = manager();
      await locks.request("name", REENTRANT, async ({ fencingToken }) => {
        const error = await rejectionWith(ReentryError, locks.acquire("name"));
        expect(error).to.include({ code: "QUORATE_REENTRY", problem: "self", lockName: "name" });
        expect(error.held).to.deep.equal({ names: ["name"], mode: "exclusive", fencingToken });
        expect(error.message).to.include("reentrant: true").and.include(String(fencingToken));
        const request = locks.request("name", () => {});
        expect((await rejectionWith(ReentryError, request)).problem).to.equal("self");
        // A semaphore knows no option to join it.
        const permit = locks.semaphore("name", { permits: 2 }).acquire();
        expect((await rejectionWith(ReentryError, permit)).problem).to.equal("upgrade");
        // Who does not wait cannot wait for oneself.
        expect(await locks.tryAcquire("name")).to.equal(null);
        const own = locks.acquire("name", { reentrant: false, waitMs: 1 });
        expect(await rejectionOf(own)).to.have.property("code", "QUORATE_WAIT_TIMEOUT");
        await locks.request("another", () => {});
      });
      const outside = await rejectionWith(ReentryError, locks.acquire("name", REENTRANT));
      expect(outside.problem).to.equal("outside");
      expect(outside.held).to.equal(undefined);
      await rejectionWith(ReentryError, locks.tryAcquire("name", REENTRANT));
      await rejectionWith(TypeError, locks.acquire("name", { reentrant: 1 as never }));
    });

    it("join as what they are: no upgrade, no part of a set that is not theirs", async () => {
      const locks = manager();
      await locks.request("name", { ...REENTRANT, ...SHARED }, async (outer) => {
        await using inner = await locks.acquire("name", { ...REENTRANT, ...SHARED });
        expect(inner.mode).to.equal("shared");
        expect(ownerIdOf(inner)).to.equal(ownerIdOf(outer));
        const upgrade = await rejectionWith(ReentryError, locks.acquire("name", REENTRANT));
        expect(upgrade.problem).to.equal("upgrade");
        expect(upgrade.held?.mode).to.equal("shared");
      });
      await locks.request("name", REENTRANT, async (outer) => {
        await using inner = await locks.acquire("name", { ...REENTRANT, ...SHARED });
        expect(inner.mode).to.equal("exclusive");
        expect(ownerIdOf(inner)).to.equal(ownerIdOf(outer));
      });
      await locks.request("name", { ...REENTRANT, owner: "job-17" }, async (outer) => {
        await using inner = await locks.acquire("name", { ...REENTRANT, owner: "job-17" });
        expect(ownerIdOf(inner)).to.equal(ownerIdOf(outer));
        await using again = await locks.acquire("name", { owner: "job-17" });
        expect(ownerIdOf(again), "a hold of its own").to.not.equal(ownerIdOf(outer));
        const another = locks.acquire("name", { ...REENTRANT, owner: "job-18" });
        expect((await rejectionWith(ReentryError, another)).problem).to.equal("upgrade");
        const alone = locks.acquire("name", { owner: "job-18" });
        expect((await rejectionWith(ReentryError, alone)).problem).to.equal("self");
      });
      await locks.request(["a", "b", "c"], REENTRANT, async (outer) => {
        await using inner = await locks.acquire(["c", "a"], REENTRANT);
        await using one = await locks.acquire("b", REENTRANT);
        expect([ownerIdOf(inner), ownerIdOf(one)]).to.deep.equal([
          ownerIdOf(outer),
          ownerIdOf(outer),
        ]);
        expect(inner.names).to.deep.equal(["a", "b", "c"]);
        const partial = await rejectionWith(ReentryError, locks.acquire(["c", "d"], REENTRANT));
        expect(partial.problem).to.equal("partial");
        await locks.request("d", REENTRANT, async (d) => {
          await using both = await locks.acquire("a", REENTRANT);
          expect([d.names, ownerIdOf(both)]).to.deep.equal([["d"], ownerIdOf(outer)]);
        });
      });
    });

    it("follow the callback: branches, timers and promises in it, and nobody outside", async () => {
      const locks = manager();
      const emitter = new EventEmitter();
      const join = (): Promise<Lock> => locks.acquire("name", REENTRANT);
      const seen: Record<string, string> = {};
      const see = async (where: string, lock: Promise<Lock>): Promise<void> => {
        const outcome = await lock.then(
          async (joined) => {
            await joined.release();
            return "joined";
          },
          (error: ReentryError) => error.problem,
        );
        seen[where] = outcome;
      };
      const outside = new AsyncResource("outside");
      let late: Promise<void> | undefined;
      const [begun, ended] = [once(emitter, "begun"), once(emitter, "ended")];
      const request = locks.request("name", REENTRANT, async () => {
        emitter.on("in", () => void see("listener, emitted outside", join()));
        await Promise.all([see("one branch", join()), see("another branch", join())]);
        await new Promise<void>((resolve) => {
          setTimeout(() => void see("timer", join()).then(resolve), 1);
        });
        late = ended.then(() => see("left behind", join()));
        await outside.runInAsyncScope(() => see("resource of outside", join()));
        emitter.emit("begun");
        await sleep(20);
      });
      await begun;
      await see("beside it", join());
      emitter.emit("in");
      await request;
      emitter.emit("ended");
      await late;
      expect(seen).to.deep.equal({
        "one branch": "joined",
        "another branch": "joined",
        timer: "joined",
        "left behind": "outside",
        "resource of outside": "outside",
        "beside it": "outside",
        "listener, emitted outside": "outside",
      });
    });

    it("follow what the callback returns, and that begins only when it is awaited", async () => {
      const locks = manager();
      const join = (): Promise<boolean> => locks.request("name", REENTRANT, (lock) => lock.isHeld);
      // oxlint-disable-next-line unicorn/no-thenable -- as query builders are
      const lazy: PromiseLike<boolean> = { then: (...told) => join().then(...told) };
      expect(await locks.request("name", REENTRANT, () => lazy)).to.equal(true);
    });

    it("are not what others are told in, whose timers they share", async () => {
      const locks = manager({ renew: false });
      const other = await locks.acquire("other", { ttlMs: 300 });
      const told = new Promise<unknown>((resolve) => {
        other.signal.addEventListener("abort", () => {
          resolve(rejectionOf(locks.acquire("name", REENTRANT)));
        });
      });
      // The timer for all is armed anew within the callback.
      await locks.request("name", { ...REENTRANT, ttlMs: 10_000 }, async () => {
        const soon = await locks.acquire("soon", { ttlMs: 200 });
        expect(await told).to.have.property("problem", "outside");
        await aborted(soon.signal);
        expect(await soon.release()).to.equal("expired");
      });
    });

    it("end with what the callback throws, and with the manager", async () => {
      const locks = manager();
      const thrown = await rejectionOf(
        locks.request("name", REENTRANT, () =>
          locks.request("name", REENTRANT, () => {
            throw new RangeError("mine");
          }),
        ),
      );
      expect(thrown).to.be.instanceOf(RangeError);
      const free = await locks.acquire("name", { waitMs: 0 });
      await free.release();
      const closed = await rejectionWith(
        LockLostError,
        locks.request("name", REENTRANT, async () => {
          const inner = await locks.acquire("name", REENTRANT);
          await locks.close();
          expect(inner.isHeld).to.equal(false);
          expect((inner.signal.reason as LockLostError).reason).to.equal("closed");
        }),
      );
      expect(closed.reason).to.equal("closed");
      expect(await rejectionOf(locks.acquire("name", { waitMs: 0 }))).to.not.be.instanceOf(
        LockContendedError,
      );
    });
  });
}
