import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { LockContendedError } from "../../src/api/errors.js";
import { ReentryError } from "../../src/api/reentry-error.js";
import { brief } from "../support/brief.js";
import { ALL_PLACES, itOnServers, quorumAt } from "../support/quorums.js";
import { aborted, eventually, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const HOLDER = fileURLToPath(new URL("../support/owner-holder.js", import.meta.url));
const JOB = { owner: "job-17" } as const;
const OTHER = { owner: "job-18" } as const;

for (const place of ALL_PLACES) {
  describe(`An owner ${place.title}`, () => {
    const quorum = quorumAt(place);
    const { manager } = quorum;

    const counts = (): Promise<unknown[]> =>
      Promise.all(
        quorum.alive.map((n) => n.command("HGET", "quorate:holds:{lock:name}", JOB.owner)),
      );

    async function counted(count: string | null): Promise<void> {
      await eventually(`all nodes count ${count}`, async () => {
        return (await counts()).every((each) => each === count);
      });
    }

    /** Who is let in next by any quorum gets this token. */
    async function agreed(token: number | undefined): Promise<void> {
      await eventually("all nodes agree on the token", async () => {
        const fences = await Promise.all(
          quorum.alive.map((n) => n.command("HGET", "quorate:holds:{lock:name}", "quorate:fence")),
        );
        return fences.every((fence) => fence === String(token));
      });
    }

    afterEach(() => counted(null));

    it("gets in again, from another process too, and nobody else does before it has gone as often", async () => {
      const [a, b, other] = [manager(), manager(), manager()];
      const first = await a.acquire("name", JOB);
      const second = await b.acquire("name", JOB);
      const third = await a.tryAcquire("name", JOB);
      expect([first, second, third].map((lock) => lock?.owner)).to.deep.equal(
        Array.from({ length: 3 }, () => JOB.owner),
      );
      await counted("3");
      for (const options of [{}, OTHER, { mode: "shared" } as const]) {
        expect(await other.tryAcquire("name", options)).to.equal(null);
      }
      const error = await rejectionWith(LockContendedError, other.acquire("name", { waitMs: 0 }));
      expect(error.holderLabel).to.equal(JOB.owner);

      // A release that comes twice counts once.
      expect(await first.release()).to.equal("released");
      expect(await first.release()).to.equal("released");
      await counted("2");
      expect(await third?.release()).to.equal("released");
      expect(await other.tryAcquire("name", OTHER)).to.equal(null);
      const waiting = other.acquire("name", OTHER);
      expect(await second.release()).to.equal("released");
      await (await waiting).release();
    });

    it("is in until its last hold has run out, and each hold runs out by itself", async () => {
      const [a, b, other] = [manager(), manager(), manager()];
      const short = await a.acquire("name", { ...JOB, ttlMs: 200, renew: false });
      const long = await b.acquire("name", { ...JOB, ttlMs: 3_000, renew: false });
      await aborted(short.signal);
      expect(short.signal.reason).to.include({ code: "QUORATE_LOST", reason: "expired" });
      expect(long.isHeld).to.equal(true);
      expect(await other.tryAcquire("name", OTHER)).to.equal(null);
      await long.extend();
      await counted("1");
      const waiting = other.acquire("name", OTHER);
      await (await waiting).release();
      expect(long.isHeld).to.equal(false);
    });

    itOnServers(
      place,
      "goes on when one of its processes is killed, whose hold runs out",
      async () => {
        const [a, other] = [manager(), manager()];
        const held = await a.acquire("name", JOB);
        await agreed(held.fencingToken);
        const child = spawn(process.execPath, [...process.execArgv, HOLDER], {
          env: {
            ...process.env,
            URLS: JSON.stringify(quorum.fleet.urls),
            OWNER: JOB.owner,
            TTL_MS: "3000",
          },
          stdio: ["ignore", "pipe", "inherit"],
        });
        const [token] = (await once(child.stdout, "data")) as [Buffer];
        expect(Number(token.toString())).to.equal(held.fencingToken);
        await counted("2");
        child.kill("SIGKILL");
        expect(await other.tryAcquire("name", OTHER)).to.equal(null);
        const goneByMs = 20_000;
        const isGone = async (): Promise<boolean> => {
          await held.extend();
          return (await counts()).every((count) => count === "1");
        };
        await eventually("the dead one counts no more", isGone, goneByMs);
        expect(await held.release()).to.equal("released");
        await other.request("name", OTHER, () => {});
      },
    );

    it("has one token while it is in, and the next owner a higher one", async () => {
      const [a, b] = [manager(), manager()];
      const first = await a.acquire("name", JOB);
      await agreed(first.fencingToken);
      const second = await b.acquire("name", JOB);
      expect(second.fencingToken).to.equal(first.fencingToken);
      // A node that hears of the second only when the first is gone begins anew, until it is told.
      await first.release();
      await counted("1");
      await agreed(first.fencingToken);
      const third = await a.acquire("name", JOB);
      expect(third.fencingToken).to.equal(first.fencingToken);
      await second.release();
      await third.release();
      const next = await b.acquire("name", OTHER);
      expect(next.fencingToken).to.be.above(first.fencingToken ?? Infinity);
      await next.release();
      const back = await a.acquire("name", JOB);
      expect(back.fencingToken).to.be.above(next.fencingToken ?? Infinity);
      await back.release();
    });

    for (const fair of [false, true]) {
      it(`re-enters before waiters, in its own process too${fair ? ", in fair queues" : ""}`, async () => {
        const [a, b] = [manager({ fair }), manager({ fair })];
        const outer = await a.acquire("name", JOB);
        const order: string[] = [];
        // Whoever waits in the way of the inner lock gets in only when the outer one is gone.
        const waiting = [a, b].map((locks) =>
          locks.request("name", () => void order.push("plain")),
        );
        const other = b.request("name", OTHER, () => void order.push("other"));
        const inner = await b.acquire("name", JOB);
        await a.request("name", JOB, () => void order.push("inner"));
        await inner.release();
        await outer.release();
        await Promise.all([...waiting, other]);
        expect(order[0]).to.equal("inner");
        expect(order).to.have.length(4);
      });
    }

    it("gets in once more from a callback, or joins the lock there, and nobody else does", async () => {
      const a = manager();
      const outer = { ...JOB, reentrant: true } as const;
      await a.request("name", outer, async (lock) => {
        await a.request("name", JOB, async (inner) => {
          expect(ownerIdOf(inner)).not.to.equal(ownerIdOf(lock));
          await counted("2");
        });
        await a.request("name", outer, (own) => expect(ownerIdOf(own)).to.equal(ownerIdOf(lock)));
        for (const options of [OTHER, {}]) {
          const reentrant = { ...options, reentrant: true };
          await rejectionWith(ReentryError, a.acquire("name", reentrant));
          await rejectionWith(ReentryError, a.acquire("name", options));
        }
      });
    });

    it("is told by all its holds when an operator has ended them", async () => {
      const [a, b] = [manager(brief(6_000)), manager(brief(6_000))];
      const holds = [await a.acquire("name", JOB), await b.acquire("name", JOB)];
      await counted("2");
      expect((await a.inspect("name")).state).to.equal("held");
      expect((await a.forceRelease("name")).isQuorate).to.equal(true);
      await a.request("name", OTHER, async () => {
        for (const { signal } of holds) {
          await eventually("it is told", () => signal.aborted);
          expect(signal.reason).to.include({ code: "QUORATE_LOST", reason: "taken" });
        }
      });
    });

    it("gets in from behind in a line, once it is in by another process", async () => {
      const [a, b] = [manager({ retry: { maxDelayMs: 15 } }), manager()];
      const plain = await a.acquire("name");
      const first = b.acquire("name");
      const behind = b.acquire("name", JOB);
      const elsewhere = a.acquire("name", JOB);
      await plain.release();
      // Whoever of the two has it first: when the owner is in, all of it is.
      const got = await Promise.race([first, elsewhere]);
      if (got.owner === undefined) await got.release();
      const [one, two] = await Promise.all([elsewhere, behind]);
      await one.release();
      await two.release();
      await (await first).release();
    });

    it("loses a hold that somebody deleted, and finds the others", async () => {
      const [a, b] = [manager(), manager()];
      // A renewal that comes between the nodes would put back what it misses.
      const one = await a.acquire("name", { ...JOB, renew: false });
      const two = await b.acquire("name", JOB);
      await counted("2");
      for (const node of quorum.alive) {
        await node.command("HDEL", "quorate:holds:{lock:name}", `quorate:hold:${ownerIdOf(one)}`);
      }
      await rejectionWith(Error, one.extend());
      expect(one.signal.reason).to.include({ code: "QUORATE_LOST", reason: "taken" });
      await two.extend();
      await counted("1");
      await two.release();
    });
  });
}
