import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { WaitTimeoutError } from "../../src/api/errors.js";
import { type Lock } from "../../src/index.js";
import { at } from "../support/nodes.js";
import { ALL_PLACES, quorumAt } from "../support/quorums.js";
import { aborted, eventually, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const SHARED = { mode: "shared" } as const;

for (const place of ALL_PLACES) {
  describe(`Readers and writers ${place.title}`, () => {
    const quorum = quorumAt(place);
    const { manager } = quorum;

    it("readers are in together, a writer alone", async () => {
      const [a, b] = [manager(), manager()];
      const readers = await Promise.all([
        a.acquire("name", SHARED),
        a.acquire("name", SHARED),
        b.acquire("name", SHARED),
      ]);
      expect(readers.map(({ mode, isHeld }) => `${mode} ${isHeld}`)).to.deep.equal(
        readers.map(() => "shared true"),
      );
      const tokens = readers.map(({ fencingToken }) => fencingToken);
      expect(new Set(tokens).size).to.equal(3);
      expect(await a.tryAcquire("name")).to.equal(null);
      const error = await rejectionWith(WaitTimeoutError, b.acquire("name", { waitMs: 30 }));
      expect(error).to.include({ holderMode: "shared", holderLabel: undefined });
      expect(error.message).to.include("held by readers, here too");
      await readers[0]?.extend();
      await Promise.all(readers.slice(1).map((lock) => lock.release()));
      expect(await b.tryAcquire("name"), "one is left").to.equal(null);
      expect(await readers[0]?.release()).to.equal("released");

      const writer = await b.acquire("name");
      expect(writer.mode).to.equal("exclusive");
      expect(writer.fencingToken).to.be.above(
        Math.max(...tokens.map((token) => token ?? Infinity)),
      );
      expect(await a.tryAcquire("name", SHARED)).to.equal(null);
      const waiting = [a.acquire("name", SHARED), a.acquire("name", SHARED)];
      await writer.release();
      const after = await Promise.all(waiting);
      for (const lock of after) expect(lock.fencingToken).to.be.above(writer.fencingToken ?? 0);
    });

    it("a reader that crashed keeps a writer out no longer than its own ttl", async () => {
      const [a, crashed, b] = [manager(), manager(), manager()];
      const ttlMs = 4_500;
      const options = { ...SHARED, ttlMs, renew: false };
      const renewed = await a.acquire("name", { ...SHARED, ttlMs });
      // As good as crashed: nobody renews or releases it, and its end is not told to the nodes.
      const dead = await crashed.acquire("name", options);
      const counts = async (): Promise<readonly number[]> => {
        const all = quorum.alive.map((node) =>
          node.command("ZRANGE", "quorate:readers:{lock:name}", 0, -1),
        );
        return (await Promise.all(all)).map((entries) => (entries as string[]).length);
      };
      await eventually("both are in", async () => (await counts()).every((count) => count === 2));
      let isOver = false;
      dead.signal.addEventListener("abort", () => (isOver = true));
      await renewed.extend();
      const outByMs = 20_000;
      const isOut = async (): Promise<boolean> => {
        await renewed.extend();
        return (await counts()).every((count) => count === 1);
      };
      await eventually("the dead one is out", isOut, outByMs);
      expect(isOver, "its own ttl is over").to.equal(true);
      expect(renewed.isHeld).to.equal(true);
      const waiting = b.acquire("name");
      await renewed.release();
      await (await waiting).release();
    });

    it("a writer gets in though readers keep coming", async () => {
      const all = [manager(), manager()];
      const writing = new AbortController();
      let readCount = 0;
      const reading = async (n: number): Promise<void> => {
        while (!writing.signal.aborted) {
          await at(all, n % 2).request("name", { mode: "shared" }, async () => {
            readCount++;
            await sleep(15);
          });
        }
      };
      const readers = [0, 1, 2, 3].map(async (n) => {
        await sleep(4 * n);
        await reading(n);
      });
      await eventually("there is a stream", () => readCount > 8);
      // Without a queue there is hardly ever a moment without readers.
      const locks = manager();
      await locks.request("name", () => {
        writing.abort();
      });
      await Promise.all(readers);
    });

    it("a reader is told of its loss, and others go on", async () => {
      const [a, b] = [manager(), manager()];
      const lost = await a.acquire("name", { ...SHARED, ttlMs: 300, renew: false });
      const kept = await b.acquire("name", SHARED);
      await aborted(lost.signal);
      expect(lost.signal.reason).to.include({ code: "QUORATE_LOST", reason: "expired" });
      expect(kept.isHeld).to.equal(true);

      // A renewal that comes between the nodes would put back what it misses.
      const taken = await a.acquire("name", { ...SHARED, renew: false });
      for (const node of quorum.alive)
        await node.command("ZREM", "quorate:readers:{lock:name}", ownerIdOf(taken));
      await rejectionWith(Error, taken.extend());
      expect(taken.signal.reason).to.include({ code: "QUORATE_LOST", reason: "taken" });
      await kept.extend();
      expect(kept.isHeld).to.equal(true);
    });

    it("readers in line of one process come in with the first of them, and none overtakes a writer", async () => {
      const [a, b] = [manager(), manager()];
      const order: string[] = [];
      let insideCount = 0;
      let mostInside = 0;
      const read = (name: string): Promise<void> =>
        b.request("name", { ...SHARED, fair: true }, async () => {
          order.push(name);
          mostInside = Math.max(mostInside, ++insideCount);
          await eventually("all are in", () => mostInside === 3);
          insideCount--;
        });
      const held: Lock = await a.acquire("name");
      const waiting = [read("r1"), read("r2"), read("r3")];
      waiting.push(b.request("name", { fair: true }, () => void order.push("w")));
      const last = b.request("name", { ...SHARED, fair: true }, () => void order.push("r4"));
      await held.release();
      await Promise.all([...waiting, last]);
      expect(order.slice(0, 3).toSorted()).to.deep.equal(["r1", "r2", "r3"]);
      expect(order.slice(3)).to.deep.equal(["w", "r4"]);
    });
  });
}
