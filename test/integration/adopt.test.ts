import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import {
  ClosedError,
  ForeignKeyError,
  LockManager,
  NotAdoptableError,
  type GivenLock,
  type Lock,
} from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import {
  allHold,
  allNodes,
  at,
  nodeHolds,
  nodeState,
  noLockKeys,
  valueOf,
} from "../support/nodes.js";
import { brief } from "../support/brief.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const ADOPTER = fileURLToPath(new URL("../support/adopter.js", import.meta.url));

const LONG = { ttlMs: 20_000 };

for (const nodeCount of [1, 5]) {
  describe(`Handing a lock over on ${nodeCount} node${nodeCount === 1 ? "" : "s"}`, function () {
    this.timeout(90_000);
    let fleet: RedisFleet;
    let giver: LockManager;
    let taker: LockManager;

    before(async () => {
      fleet = await RedisFleet.start({ nodes: nodeCount });
      const options = { ttlMs: 20_000, nodeTimeoutMs: 5_000 };
      giver = new LockManager(fleet.urls, { ...options, label: "giver" });
      taker = new LockManager(fleet.urls, { ...options, label: "taker" });
      await Promise.all([allNodes(giver), allNodes(taker)]);
    });
    after(async () => {
      await Promise.all([giver.close(), taker.close()]);
      await fleet.stop();
    });

    // Where a key arrives only after its lock was adopted elsewhere, nobody is left to delete it: it has to expire.
    afterEach(() =>
      noLockKeys(
        fleet.nodes.filter(({ isRunning }) => isRunning),
        40_000,
      ),
    );

    /** As if its ttl were over. */
    async function expire(name: string): Promise<void> {
      await Promise.all(fleet.nodes.map((node) => node.command("PEXPIRE", `lock:${name}`, 1)));
      await noLockKeys(fleet.nodes);
    }

    it("goes on elsewhere, with an owner, a token and a validity of its own", async () => {
      const lock = await giver.acquire("name", { ttlMs: 15_000 });
      await allHold(fleet.nodes, "name");
      const json = lock.handOver();
      expect(lock.isHeld).to.equal(false);
      expect(await lock.release()).to.equal("handedOver");
      for (const node of fleet.nodes) await nodeHolds(node, "lock:name", ownerIdOf(lock));
      expect(await taker.tryAcquire("name")).to.equal(null);
      const adopted = await taker.adopt(structuredClone(json));
      expect(adopted).to.include({ name: "name", mode: "exclusive", isHeld: true });
      expect(adopted.remainingMs).to.be.within(1, 15_000);
      expect(ownerIdOf(adopted)).to.not.equal(ownerIdOf(lock));
      expect(adopted.fencingToken).to.be.greaterThan(lock.fencingToken ?? 0);
      for (const node of fleet.nodes) await nodeHolds(node, "lock:name", ownerIdOf(adopted));
      expect(at((await giver.inspect("name")).holders, 0).label).to.equal("taker");
      await adopted.extend();
      expect(await giver.tryAcquire("name")).to.equal(null);
      expect(await adopted.release()).to.equal("released");
      await noLockKeys(fleet.nodes);
    });

    it("goes on in another process, which renews it, also when the giver is gone", async () => {
      const passing = new LockManager(fleet.urls, { ...brief(5_000), label: "passing" });
      const lock = await passing.acquire("name");
      await allHold(fleet.nodes, "name");
      const child = fork(ADOPTER, [JSON.stringify(fleet.urls)]);
      try {
        expect(await once(child, "message")).to.deep.equal(["ready", undefined]);
        const adopted = once(child, "message");
        // What JSON.stringify makes of a lock is the same.
        child.send(JSON.stringify(lock.handOver()));
        await passing.close();
        const [told] = (await adopted) as [{ token: number }, unknown];
        expect(told.token).to.be.greaterThan(lock.fencingToken ?? 0);
        await sleep(5_500);
        expect(await giver.tryAcquire("name")).to.equal(null);
        child.send("release");
        expect(((await once(child, "message")) as unknown[])[0]).to.equal("released");
        await noLockKeys(fleet.nodes);
      } finally {
        child.kill("SIGKILL");
      }
    });

    it("one of several that adopt the same gets it, and nobody who waits comes between", async () => {
      for (let count = 0; count < 5; count++) {
        const lock = await giver.acquire("name");
        await allHold(fleet.nodes, "name");
        const waiting = giver.acquire("name", { waitMs: 20_000, fair: true });
        const json = lock.handOver();
        const tries = await Promise.allSettled([0, 1, 2].map(() => taker.adopt(json)));
        const won = tries.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
        expect(won.length).to.be.at.most(1);
        for (const each of tries) {
          if (each.status === "rejected") expect(each.reason).to.be.instanceOf(NotAdoptableError);
        }
        const [adopted] = won;
        if (adopted !== undefined) {
          const error = await rejectionWith(NotAdoptableError, giver.adopt(json));
          expect(error).to.include({ code: "QUORATE_NOT_ADOPTABLE", reason: "taken" });
          await adopted.extend();
          await adopted.release();
        }
        const next = await waiting;
        expect(next.fencingToken).to.be.greaterThan(adopted?.fencingToken ?? 0);
        await next.release();
      }
      await noLockKeys(fleet.nodes);
    });

    it("on one after the other, from hand to hand", async () => {
      let lock = await giver.acquire("name");
      const tokens = [lock.fencingToken ?? 0];
      for (const manager of [taker, giver, taker, giver]) {
        lock = await manager.adopt(JSON.stringify(lock.handOver()));
        tokens.push(lock.fencingToken ?? 0);
      }
      expect(tokens).to.deep.equal(tokens.toSorted((a, b) => a - b));
      expect(new Set(tokens).size).to.equal(tokens.length);
      expect(await lock.release()).to.equal("released");
    });

    for (const { how, pass } of [
      { how: "released", pass: async (lock: Lock) => void (await lock.release()) },
      {
        how: "handed over, adopted and released",
        pass: async (lock: Lock) => void (await (await taker.adopt(lock.handOver())).release()),
      },
      {
        how: "handed over twice",
        pass: async (lock: Lock) => {
          const adopted = await taker.adopt(JSON.stringify(lock.handOver()));
          await (await giver.adopt(JSON.stringify(adopted.handOver()))).release();
        },
      },
      {
        how: "handed over, and adopted in vain",
        pass: async (lock: Lock) => {
          const stop = new AbortController();
          const adopting = taker.adopt(lock.handOver(), { signal: stop.signal });
          const inVain = adopting.then((adopted) => adopted.release());
          // By then the nodes have been asked. They may even have answered.
          setImmediate(() => stop.abort());
          await Promise.allSettled([inVain]);
        },
      },
      { how: "handed over, and never adopted", pass: async (lock: Lock) => void lock.handOver() },
    ] satisfies { how: string; pass: (lock: Lock) => Promise<void> }[]) {
      it(`D2: keeps the name closed for its minimum hold where it was ${how}`, async () => {
        const lock = await taker.acquire("kept", { ttlMs: 3_000, minHoldMs: 1_000 });
        const grantedAtMs = performance.now();
        await allHold(fleet.nodes, "kept");
        await pass(lock);
        await using next = await giver.acquire("kept", { waitMs: 20_000 });
        expect(performance.now() - grantedAtMs).to.be.at.least(1_000);
        next.assertHeld();
      });
    }

    it("is not adopted once its keys are gone, and takes nothing then", async () => {
      const lock = await giver.acquire("short", LONG);
      const json = lock.handOver();
      await allHold(fleet.nodes, "short");
      await expire("short");
      const error = await rejectionWith(NotAdoptableError, taker.adopt(json, LONG));
      expect(error.reason).to.equal("expired");
      await noLockKeys(fleet.nodes);
      await rejectionWith(NotAdoptableError, taker.adopt(json, LONG));
    });

    it("is not adopted once another has it, who is not touched", async () => {
      const lock = await giver.acquire("short", LONG);
      const json = lock.handOver();
      await allHold(fleet.nodes, "short");
      await expire("short");
      await using next = await taker.acquire("short");
      await allHold(fleet.nodes, "short");
      const error = await rejectionWith(NotAdoptableError, taker.adopt(json, LONG));
      expect(error.reason).to.equal("taken");
      expect(error.votes).to.have.length(nodeCount);
      await next.extend();
      for (const node of fleet.nodes) await nodeHolds(node, "lock:short", ownerIdOf(next));
    });

    it("is not adopted once it was ended by force", async () => {
      const json = (await giver.acquire("name")).handOver();
      const { removed } = await taker.forceRelease("name");
      expect(removed).to.have.length(1);
      expect((await rejectionWith(NotAdoptableError, taker.adopt(json))).reason).to.equal(
        "expired",
      );
      await noLockKeys(fleet.nodes);
    });

    it("leaves data that is no lock alone", async () => {
      const json = (await giver.acquire("name")).handOver();
      for (const node of fleet.nodes) await node.command("SET", "lock:name", "for ever");
      await rejectionWith(ForeignKeyError, taker.adopt(json));
      for (const node of fleet.nodes) {
        expect(await valueOf(node, "lock:name")).to.equal("for ever");
        await node.command("DEL", "lock:name");
      }
    });

    it("given away inside of a request: the request is over with its callback", async () => {
      let json: GivenLock | undefined;
      const result = await giver.request("name", (lock) => {
        json = lock.handOver();
        return "started";
      });
      expect(result).to.equal("started");
      const adopted = await taker.adopt(json as GivenLock);
      expect(await adopted.release()).to.equal("released");
    });

    it("one that others of its process have joined stays, until it is the last", async () => {
      const json = await giver.request("name", { reentrant: true }, async (lock) => {
        const joined = await giver.acquire("name", { reentrant: true });
        for (const handle of [lock, joined]) {
          expect(() => handle.handOver()).to.throw(RangeError, "was joined");
          expect(handle.isHeld).to.equal(true);
        }
        await joined.release();
        return lock.handOver();
      });
      expect(await (await taker.adopt(json)).release()).to.equal("released");
    });

    it("all but plain locks stay with their process, and stay held", async () => {
      await using ofRedisson = new LockManager(fleet.urls, { ttlMs: 20_000, layout: "redisson" });
      for (const lock of [
        await giver.acquire("read", { mode: "shared" }),
        await giver.acquire(["a", "b"]),
        await giver.acquire("owned", { owner: "job-17" }),
        await ofRedisson.acquire("owned by Redisson"),
        await giver.semaphore("permits", { permits: 2 }).acquire(),
      ]) {
        expect(() => lock.handOver()).to.throw(
          RangeError,
          "cannot be handed over to another process",
        );
        await lock.extend();
        expect(await lock.release()).to.equal("released");
      }
    });

    it("with other options than the giver's", async () => {
      const lock = await giver.acquire("name");
      const adopted = await taker.adopt(lock.handOver(), { ttlMs: 60_000, renew: false });
      expect(adopted.fencingToken).to.be.above(lock.fencingToken);
      expect(adopted.remainingMs).to.be.greaterThan(10_000);
      await adopted.release();
    });

    it("where the node that drew the giver's token has a clock that is far ahead", async () => {
      const json = (await giver.acquire("name")).handOver();
      const fencingToken = json.fencingToken + 86_400_000_000;
      await (await taker.adopt({ ...json, fencingToken })).release();
    });

    it("names the field and the value that is wrong, and leaves the lock to be adopted", async () => {
      const json = (await giver.acquire("name")).handOver();
      const table: readonly [unknown, string][] = [
        [undefined, "`json` must be what lock.handOver() gave, got undefined"],
        [null, "`json` must be what lock.handOver() gave, got null"],
        ["{", "a text that is no JSON"],
        ["7", "`json` must be what lock.handOver() gave, got 7"],
        [{}, '`json.kind` must be "quorate-lock" as in what lock.handOver() gave, got undefined'],
        [{ ...json, version: 2 }, "`json.version` must be 1, got 2"],
        [{ ...json, name: 7 }, "`json.name` must be a string, got 7"],
        [{ ...json, name: "" }, "`json.name` must have 1 to 1024 bytes, got 0"],
        [{ ...json, lockKey: undefined }, "`json.lockKey` must be a string, got undefined"],
        [{ ...json, lockKey: "x:name" }, '`json.lockKey` must be "lock:name" by `keyPrefix`'],
        [{ ...json, mode: "shared" }, '`json.mode` must be "exclusive", got "shared"'],
        [{ ...json, ownerId: "x" }, "`json.ownerId` must be the ownerId of a lock"],
        [{ ...json, ownerId: 7 }, "`json.ownerId` must be the ownerId of a lock"],
        [{ ...json, fencingToken: "7" }, "`json.fencingToken` must be a safe integer"],
        [{ ...json, fencingToken: null }, "`json.fencingToken` must be a safe integer"],
        [{ ...json, fencingToken: -1 }, "`json.fencingToken` must be a safe integer"],
        [{ ...json, minHoldMs: "7" }, '`json.minHoldMs` must be a number, got "7"'],
        [{ ...json, minHoldMs: -1 }, "`json.minHoldMs` must be at least 0 ms, got -1"],
        [
          { ...json, minHoldMs: 19_798 },
          "`json.minHoldMs` must be less than `ttlMs` (20000) less drift (19798), got 19798",
        ],
        [{ ...json, ttlMs: 1.5 }, "`json.ttlMs` must be an integer number of ms, got 1.5"],
        [
          { ...json, ttlMs: 1e9 },
          "`ttlMs` must be at most the `maxTtlMs` of the LockManager (60000), got 1000000000",
        ],
      ];
      for (const [bad, message] of table) {
        const error = (await rejectionOf(taker.adopt(bad as GivenLock))) as Error;
        expect(error.message).to.include(message);
        expect(error).to.satisfy(
          (it: Error) => it instanceof TypeError || it instanceof RangeError,
        );
      }
      const unknown = taker.adopt(json, { waitMs: 7 } as never);
      expect(((await rejectionOf(unknown)) as Error).message).to.include(
        "`waitMs` is not an option here",
      );
      const stop = AbortSignal.abort(new Error("stopped"));
      const stopped = (await rejectionOf(taker.adopt(json, { signal: stop }))) as Error;
      expect(stopped.message).to.equal("stopped");
      await using closed = new LockManager(fleet.urls);
      await closed.close();
      await rejectionWith(ClosedError, closed.adopt(json));
      await (await taker.adopt(json)).release();
    });

    if (nodeCount > 1) {
      it("with one node gone; without a quorum takes back what it took", async () => {
        await at(fleet.nodes, 4).kill();
        for (const manager of [giver, taker]) await nodeState(manager, 4, "down");
        const given = await giver.acquire("name");
        await allHold(fleet.nodes.slice(0, 4), "name");
        const adopted = await taker.adopt(given.handOver());
        await adopted.extend();
        for (const node of fleet.nodes.slice(0, 4)) {
          await nodeHolds(node, "lock:name", ownerIdOf(adopted));
        }
        const json = adopted.handOver();
        await using hasty = new LockManager(fleet.urls, { ttlMs: 20_000, nodeTimeoutMs: 1_000 });
        for (const index of [0, 1, 2, 3]) await nodeState(hasty, index, "ready");
        const paused = fleet.nodes.slice(2, 4);
        await Promise.all(paused.map((node) => node.pause()));
        await rejectionWith(QuorumUnreachableError, hasty.adopt(json));
        await Promise.all(paused.map((node) => node.resume()));
        // It has taken back what it took, also where that came late.
        await noLockKeys(fleet.nodes.slice(0, 4));
        await rejectionWith(NotAdoptableError, taker.adopt(json));
      });
    }
  });
}
