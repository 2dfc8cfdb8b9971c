import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { DEFAULTS, ForeignKeyError, LockManager } from "../../src/index.js";
import { fingerprintOf } from "../../src/operator/fingerprint.js";
import { RedisFleet } from "../../src/testing/index.js";
import {
  allHold,
  allNodes,
  at,
  fenceAhead,
  setFence,
  nodeHolds,
  nodeState,
  noLockKeys,
} from "../support/nodes.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const TTL_MS = 20_000;

for (const nodeCount of [1, 5]) {
  describe(`Looking at locks on ${nodeCount} node${nodeCount === 1 ? "" : "s"}`, function () {
    this.timeout(60_000);
    let fleet: RedisFleet;
    let locks: LockManager;
    let other: LockManager;

    before(async () => {
      fleet = await RedisFleet.start({ nodes: nodeCount });
      const options = { ttlMs: TTL_MS, nodeTimeoutMs: 2_500 };
      locks = new LockManager(fleet.urls, { ...options, label: "web 1" });
      // Long pauses: what waits is not to be seen between two of its attempts.
      other = new LockManager(fleet.urls, {
        ...options,
        label: "web 2",
        retry: { maxDelayMs: 20_000 },
      });
      await Promise.all([allNodes(locks), allNodes(other)]);
    });
    after(async () => {
      await Promise.all([locks.close(), other.close()]);
      await fleet.stop();
    });

    it("a free name", async () => {
      const report = await locks.inspect("free");
      const { state, isQuorate, holders, waitingCount, nodes } = report;
      expect({ state, isQuorate, holders, waitingCount }).to.deep.equal({
        state: "free",
        isQuorate: true,
        holders: [],
        waitingCount: 0,
      });
      expect(nodes.map(({ state: seen }) => seen)).to.deep.equal(nodes.map(() => "free"));
      expect(report).to.not.have.property("fencingToken");
    });

    it("who holds a name, since when, and who waits; never the ownerId", async () => {
      await using lock = await locks.acquire("name");
      await allHold(fleet.nodes, "name");
      const waiting = other.acquire("name", { waitMs: 60_000 });
      let report = await other.inspect("name");
      // Its place there ends when it is not refreshed for a while.
      await eventually("it waits at all nodes", async () => {
        report = await other.inspect("name");
        return report.nodes.every(({ waitingCount }) => waitingCount === 1);
      });
      expect(report).to.include({ state: "held", isQuorate: true, waitingCount: 1 });
      expect(report.fencingToken).to.equal(lock.fencingToken);
      expect(report.holders).to.have.length(1);
      const holder = at(report.holders, 0);
      expect(holder).to.include({ label: "web 1", mode: "exclusive", isQuorate: true });
      expect(holder.fingerprint).to.match(/^[0-9a-f]{8}$/);
      expect(holder.nodes).to.deep.equal(locks.nodes.map(({ node }) => node));
      expect(holder.freeInMs).to.be.within(1, TTL_MS + DEFAULTS.clockStepMs);
      expect(holder.remainingMs).to.equal(Math.max(0, holder.freeInMs - DEFAULTS.clockStepMs));
      for (const node of report.nodes) {
        expect(node.fingerprints).to.deep.equal([holder.fingerprint]);
        expect(node.freeInMs).to.be.within(1, TTL_MS + DEFAULTS.clockStepMs);
      }
      const text = JSON.stringify(report);
      expect(JSON.parse(text)).to.deep.equal(report);
      expect(text).to.not.include(ownerIdOf(lock).slice(0, 22));
      expect(text).to.not.include(
        ownerIdOf(lock)
          .slice(ownerIdOf(lock).indexOf("~") + 1)
          .slice(0, 22),
      );
      await lock.release();
      const next = await waiting;
      const nextHolder = at((await locks.inspect("name")).holders, 0);
      expect(nextHolder.label).to.equal("web 2");
      expect(nextHolder.fingerprint).to.not.equal(holder.fingerprint);
      await next.release();
    });

    it("readers, each by itself", async () => {
      await using one = await locks.acquire("read", { mode: "shared" });
      await using two = await other.acquire("read", { mode: "shared" });
      expect(one.isHeld && two.isHeld).to.equal(true);
      await eventually("both are everywhere", async () => {
        const { holders } = await locks.inspect("read");
        return holders.length === 2 && holders.every(({ nodes }) => nodes.length === nodeCount);
      });
      const { state, holders } = await locks.inspect("read");
      expect(state).to.equal("held");
      expect(holders.map(({ label }) => label)).to.have.members(["web 1", "web 2"]);
      expect(holders.every(({ mode, isQuorate }) => mode === "shared" && isQuorate)).to.equal(true);
    });

    it("a set by each of its names", async () => {
      await using lock = await locks.acquire(["set a", "set b"]);
      for (const name of lock.names) {
        const { state, holders } = await other.inspect(name);
        expect(state).to.equal("held");
        expect(at(holders, 0)).to.include({ label: "web 1", mode: "exclusive" });
      }
    });

    it("data that is no lock, of any type", async () => {
      await at(fleet.nodes, 0).command("HSET", "lock:hash", "a", "b");
      await at(fleet.nodes, 0).command("SET", "lock:string", "for ever");
      for (const [name, message] of [
        ["hash", "hash"],
        ["string", "string without expiry"],
      ] as const) {
        const node = at((await locks.inspect(name)).nodes, 0);
        expect(node).to.include({ state: "foreign", message });
        await rejectionWith(ForeignKeyError, locks.forceRelease(name));
      }
      expect(await at(fleet.nodes, 0).command("HGET", "lock:hash", "a")).to.equal("b");
      expect(await at(fleet.nodes, 0).command("GET", "lock:string")).to.equal("for ever");
      await at(fleet.nodes, 0).command("DEL", "lock:hash", "lock:string");
    });

    it("what a manager holds and waits for, in the shape of the Web Locks API", async () => {
      const empty = await locks.query();
      expect(empty).to.deep.equal({ held: [], pending: [] });
      await using lock = await locks.acquire("a");
      await using set = await locks.acquire(["b", "c"]);
      await using reader = await locks.acquire("d", { mode: "shared" });
      const abort = new AbortController();
      const waiting = rejectionOf(locks.acquire("a", { signal: abort.signal }));
      const { held, pending } = await locks.query();
      const clientId = at(held, 0).clientId;
      expect(held).to.deep.equal([
        { name: "a", mode: "exclusive", clientId },
        { name: "b", mode: "exclusive", clientId },
        { name: "c", mode: "exclusive", clientId },
        { name: "d", mode: "shared", clientId },
      ]);
      expect(pending).to.deep.equal([{ name: "a", mode: "exclusive", clientId }]);
      await using foreign = await other.acquire("e");
      expect(at((await other.query()).held, 0).clientId).to.not.equal(clientId);
      abort.abort();
      await waiting;
      expect((await locks.query()).pending).to.deep.equal([]);
      expect([lock, set, reader, foreign].every(({ isHeld }) => isHeld)).to.equal(true);
    });

    it("ends a lock by force: who waits gets it, with a higher token, and its holder is told", async () => {
      const lock = await locks.acquire("stuck", { renew: false });
      await allHold(fleet.nodes, "stuck");
      const waiting = other.acquire("stuck", { waitMs: 60_000 });
      await eventually("it waits", async () => (await other.inspect("stuck")).waitingCount === 1);
      const { fingerprint } = at((await other.inspect("stuck")).holders, 0);
      const result = await other.forceRelease("stuck", { fingerprint });
      expect(result.isQuorate).to.equal(true);
      expect(result.nodes).to.deep.equal(locks.nodes.map(({ node }) => node));
      expect(result.removed.map(({ label }) => label)).to.deep.equal(["web 1"]);
      expect(JSON.parse(JSON.stringify(result))).to.deep.equal(result);
      const next = await waiting;
      expect(next.fencingToken).to.be.greaterThan(lock.fencingToken ?? 0);
      // It believes on until it asks.
      expect(lock.isHeld).to.equal(true);
      const error = await rejectionOf(lock.extend());
      expect(error).to.include({ code: "QUORATE_LOST", reason: "taken" });
      expect(lock.isHeld).to.equal(false);
      expect(next.isHeld).to.equal(true);
      await next.extend();
      expect((await other.forceRelease("stuck", { fingerprint })).removed).to.deep.equal([]);
      await next.extend();
      await next.release();
      await noLockKeys(fleet.nodes);
    });

    it("ends all readers, and what is free is left", async () => {
      const readers = [
        await locks.acquire("read", { mode: "shared" }),
        await other.acquire("read", { mode: "shared" }),
      ];
      const { removed } = await other.forceRelease("read");
      expect(removed.map(({ mode }) => mode)).to.deep.equal(["shared", "shared"]);
      await noLockKeys(fleet.nodes);
      for (const reader of readers) {
        expect(await rejectionOf(reader.extend())).to.include({ reason: "taken" });
      }
      expect((await other.forceRelease("read")).removed).to.deep.equal([]);
    });

    it("sees and ends permits and the holds of an owner, each by itself", async () => {
      const semaphore = locks.semaphore("permits", { permits: 2 });
      const permits = [await semaphore.acquire(), await semaphore.acquire()];
      const holds = [
        await locks.acquire("owned", { owner: "job-17" }),
        await other.acquire("owned", { owner: "job-17" }),
      ];
      for (const [name, all] of [
        ["permits", permits],
        ["owned", holds],
      ] as const) {
        await eventually("both are everywhere", async () => {
          const { holders } = await other.inspect(name);
          return holders.length === 2 && holders.every(({ nodes }) => nodes.length === nodeCount);
        });
        const { state, holders } = await other.inspect(name);
        expect(state).to.equal("held");
        if (name === "permits") {
          expect(holders.map(({ permit }) => permit)).to.have.members([0, 1]);
        } else expect(holders.map(({ owner }) => owner)).to.deep.equal(["job-17", "job-17"]);
        const [, kept] = all;
        const fingerprint = fingerprintOf(ownerIdOf(at(all, 0)));
        const { removed } = await other.forceRelease(name, { fingerprint });
        expect(removed.map((holder) => holder.fingerprint)).to.deep.equal([fingerprint]);
        expect(await rejectionOf(at(all, 0).extend())).to.include({ reason: "taken" });
        await kept?.extend();
        expect((await other.forceRelease(name)).removed).to.have.length(1);
        expect(await rejectionOf(at(all, 1).extend())).to.include({ reason: "taken" });
      }
      await noLockKeys(fleet.nodes);
    });

    it("ends one name of a set; the rest goes at its next renewal", async () => {
      const lock = await locks.acquire(["set a", "set b"]);
      await other.forceRelease("set b");
      expect(await rejectionOf(lock.extend())).to.include({ reason: "taken" });
      await noLockKeys(fleet.nodes);
    });

    it("ends the lock of any other client of the same keys", async () => {
      await at(fleet.nodes, 0).command("SET", "lock:theirs", "QmFzZTY0", "PX", 60_000);
      const { removed } = await locks.forceRelease("theirs");
      expect(removed).to.have.length(1);
      expect(at(removed, 0)).to.not.have.property("label");
      await noLockKeys(fleet.nodes);
    });

    it("names what is wrong with an argument", async () => {
      const table: readonly [() => Promise<unknown>, string][] = [
        [() => locks.inspect(""), "`name` must have 1 to 1024 bytes, got 0"],
        [() => locks.inspect(7 as never), "`name` must be a string, got 7"],
        [() => locks.forceRelease(undefined as never), "`name` must be a string, got undefined"],
        [
          () => locks.forceRelease("a", { fingerprint: 7 as never }),
          "`fingerprint` must be a string",
        ],
        [
          () => locks.forceRelease("a", { fingerprint: undefined as never }),
          "`fingerprint` must be a string, got undefined, as where nobody holds the name",
        ],
        [() => locks.forceRelease("a", { owner: "x" } as never), "unknown option `owner`"],
      ];
      for (const [call, message] of table) {
        expect(((await rejectionOf(call())) as Error).message).to.include(message);
      }
    });

    if (nodeCount > 1) {
      it("a key that was ended is not healed, however the holder gets there", async () => {
        const lock = await locks.acquire("healed", { renew: false });
        await allHold(fleet.nodes, "healed");
        const [first, ...rest] = fleet.nodes;
        await other.forceRelease("healed");
        // As if its renewal had been faster on most nodes: it finds them as it left them.
        for (const node of rest)
          await node.command("SET", "lock:healed", ownerIdOf(lock), "PX", TTL_MS);
        await lock.extend();
        await eventually("it was told", () => !lock.isHeld);
        expect(lock.signal.reason).to.include({ reason: "taken" });
        await noLockKeys([...(first ? [first] : []), ...rest]);
      });

      it("a node that forgot is looked at, too, and a token that is not everywhere", async () => {
        await using lock = await locks.acquire("name");
        await allHold(fleet.nodes, "name");
        await at(fleet.nodes, 1).flush();
        const fence = fenceAhead();
        await setFence(at(fleet.nodes, 0), "name", fence);
        const report = await other.inspect("name");
        expect(at(report.nodes, 1).state).to.equal("free");
        expect(at(report.nodes, 0).fence).to.equal(fence);
        expect(report.fencingToken).to.equal(lock.fencingToken);
        expect(at(report.holders, 0).nodes).to.have.length(4);
        await eventually("it is in quarantine", async () => {
          await other.tryAcquire("another").then((held) => held?.release());
          return at(other.nodes, 1).state === "quarantined";
        });
        await nodeHolds(at(fleet.nodes, 0), "lock:name", ownerIdOf(lock));
        expect(at((await other.inspect("name")).nodes, 1).state).to.equal("free");
      });

      it("with one node gone, which is listed; and without a quorum touches nothing", async () => {
        await at(fleet.nodes, 4).kill();
        await nodeState(other, 4, "down");
        const lock = await locks.acquire("name");
        const report = await other.inspect("name");
        expect(report.state).to.equal("held");
        expect(at(report.nodes, 4).state).to.equal("unanswered");
        expect(at(report.nodes, 4).message).to.be.a("string").that.is.not.equal("");
        const { isQuorate, nodes } = await other.forceRelease("name");
        expect(isQuorate).to.equal(true);
        expect(nodes).to.have.length(4);
        expect(await rejectionOf(lock.extend())).to.include({ reason: "taken" });
        const held = await locks.acquire("kept");
        await Promise.all([at(fleet.nodes, 3).kill(), at(fleet.nodes, 2).kill()]);
        for (const index of [2, 3]) await nodeState(other, index, "down");
        await rejectionWith(QuorumUnreachableError, other.forceRelease("kept"));
        const blurred = await other.inspect("kept");
        expect(blurred).to.include({ state: "undecided", isQuorate: false });
        expect(at(blurred.holders, 0).isQuorate).to.equal(false);
        for (const node of fleet.nodes.slice(0, 2))
          await nodeHolds(node, "lock:kept", ownerIdOf(held));
      });
    }
  });
}
