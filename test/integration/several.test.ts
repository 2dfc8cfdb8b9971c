import { expect } from "chai";
import { ForeignKeyError, LockHeldError, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at, lockKeys, nodeHolds, noLockKeys } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

for (const nodeCount of [1, 5]) {
  describe(`Several names at once on ${nodeCount} node${nodeCount === 1 ? "" : "s"}`, () => {
    let fleet: RedisFleet;
    let locks: LockManager;
    let other: LockManager;

    before(async () => {
      fleet = await RedisFleet.start({ nodes: nodeCount });
      locks = new LockManager(fleet.urls, PATIENT);
      other = new LockManager(fleet.urls, PATIENT);
    });
    after(async () => {
      await Promise.all([locks.close(), other.close()]);
      await fleet.stop();
    });

    it("all or none, in any order, and each excludes a plain lock", async () => {
      const lock = await locks.acquire(["b", "a", "b"]);
      expect(lock.names).to.deep.equal(["a", "b"]);
      expect(lock.name).to.equal("a, b");
      for (const node of fleet.nodes) {
        await nodeHolds(node, "lock:a", ownerIdOf(lock));
        await nodeHolds(node, "lock:b", ownerIdOf(lock));
      }
      expect(await other.tryAcquire("a")).to.equal(null);
      expect(await other.tryAcquire("b")).to.equal(null);
      expect(await other.tryAcquire(["c", "b"])).to.equal(null);
      await lock.extend();
      expect(await lock.release()).to.equal("released");
      await noLockKeys(fleet.nodes);
    });

    it("takes nothing while one of them is held, and all when it is released", async () => {
      const held = await other.acquire("b");
      expect(await locks.tryAcquire(["a", "b"])).to.equal(null);
      const free = await other.tryAcquire("a");
      expect(free?.isHeld).to.equal(true);
      const waiting = locks.acquire(["a", "b"], { waitMs: 20_000 });
      await Promise.all([held.release(), free?.release()]);
      await (await waiting).release();
      await noLockKeys(fleet.nodes);
    });

    it("is held, and no split, where its names were locked by several at one moment", async () => {
      for (let round = 0; round < 20; round++) {
        const names = ["x", "y", "z"].map((name) => `${name}${round}`);
        const held = await Promise.all(names.map((name) => other.acquire(name)));
        expect(await locks.tryAcquire(names)).to.equal(null);
        await Promise.all(held.map((lock) => lock.release()));
      }
    });

    it("a set that waits for another name lets the first name be had", async () => {
      const held = await locks.acquire("b");
      const waiting = locks.acquire(["a", "b"], { waitMs: 20_000 });
      await (await locks.acquire("a", { waitMs: 20_000 })).release();
      await held.release();
      await (await waiting).release();
    });

    it("lets go of all of them, whoever waits for the first one in its process", async () => {
      const held = await locks.acquire(["a", "b"]);
      const waiting = [locks.acquire(["a", "c"], { waitMs: 20_000 })];
      waiting.push(locks.acquire("a", { waitMs: 20_000 }));
      await held.release();
      await (await locks.acquire("b", { waitMs: 20_000 })).release();
      for (const lock of waiting) await (await lock).release();
      await noLockKeys(fleet.nodes);
    });

    it("sets that overlap in circles all get through", async () => {
      const sets = [
        ["p", "q"],
        ["q", "r"],
        ["r", "p"],
      ];
      const inside = new Set<string>();
      const round = async (manager: LockManager, names: string[]): Promise<number> =>
        manager.request(names, { waitMs: 20_000 }, async (lock) => {
          for (const name of names) {
            expect(inside.has(name)).to.equal(false);
            inside.add(name);
          }
          await lock.extend();
          for (const name of names) inside.delete(name);
          return lock.fencingToken ?? 0;
        });
      const all = [locks, other].flatMap((manager) => sets.map((names) => round(manager, names)));
      const tokens = await Promise.all(all);
      expect(new Set(tokens).size).to.equal(tokens.length);
    });

    it("one token that grows for each of the names", async () => {
      const tokenOf = async (names: string | string[]): Promise<number> => {
        return locks.request(names, { waitMs: 20_000 }, (lock) => lock.fencingToken ?? 0);
      };
      const tokens: number[] = [];
      for (const names of ["a", ["a", "b"], "b", ["b", "c"], "c", ["c", "a"], "a"]) {
        tokens.push(await tokenOf(names));
      }
      expect(tokens).to.deep.equal(tokens.toSorted((x, y) => x - y));
      expect(new Set(tokens).size).to.equal(tokens.length);
    });

    it("a hundred names, and refuses what is no list of names", async () => {
      const hundred = Array.from({ length: 100 }, (_, index) => `n${index}`);
      const lock = await locks.acquire(hundred);
      await eventually("all are locked", async () => {
        return (await lockKeys([at(fleet.nodes, 0)])).length === 100;
      });
      await lock.release();
      const table: readonly [unknown, string][] = [
        [[], "`names` must be 1 to 100 different names, got 0"],
        [[...hundred, "more"], "`names` must be 1 to 100 different names, got 101"],
        [["a", ""], "`names[1]` must have 1 to 1024 bytes, got 0"],
        [["a", "x".repeat(1_025)], "`names[1]` must have 1 to 1024 bytes, got 1025"],
        [["a", 7], "names[1]"],
      ];
      for (const [names, message] of table) {
        const error = await rejectionOf(locks.acquire(names as string[]));
        expect((error as Error).message).to.include(message);
      }
    });

    it("names the one that is held, whichever of them it is", async () => {
      for (const name of ["a", "b", "c"]) {
        await using held = await locks.acquire(name, { label: `who has ${name}` });
        const once = await rejectionWith(
          LockHeldError,
          locks.acquire(["c", "a", "b"], { waitMs: 0 }),
        );
        expect(once).to.deep.include({ heldNames: [name], lockName: "a, b, c" });
        expect(once).to.include({ holderLabel: `who has ${name}` });
        expect(once.message).to.match(
          new RegExp(`^"${name}" of "a, b, c" is held by this lock manager `),
        );
        const waited = await rejectionWith(
          LockHeldError,
          locks.acquire(["c", "a", "b"], { waitMs: 20 }),
        );
        expect(waited.message).to.include(`waiting for "a, b, c"`).and.include(`"${name}" is held`);
        const alone = await rejectionWith(LockHeldError, locks.acquire(name, { waitMs: 0 }));
        expect(alone.heldNames).to.deep.equal([name]);
        expect(held.isHeld).to.equal(true);
      }
    });

    it("names the key that is in the way, whichever of them it is", async () => {
      for (const [index, name] of ["a", "b", "c"].entries()) {
        const key = `lock:${name}`;
        for (const node of fleet.nodes) await node.command("HSET", key, "field", "data");
        const error = await rejectionWith(ForeignKeyError, locks.acquire(["c", "a", "b"]));
        expect(error, `the key at ${index}`).to.include({
          key,
          found: "hash",
          lockName: "a, b, c",
        });
        expect(error.message).to.include(`key "${key}" holds data`);
        expect(await lockKeys([at(fleet.nodes, 0)])).to.deep.equal([key]);
        for (const node of fleet.nodes) await node.command("DEL", key);
      }
    });

    if (nodeCount > 1) {
      it("works with one node gone, and lets go of all", async () => {
        await at(fleet.nodes, 0).kill();
        const lock = await locks.acquire(["a", "b"]);
        expect(await other.tryAcquire("b")).to.equal(null);
        await lock.extend();
        expect(await lock.release()).to.equal("released");
        await noLockKeys(fleet.nodes.slice(1));
      });
    }
  });
}
