import { expect } from "chai";
import { Redis } from "ioredis";
import { createClient } from "redis-5";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { MAX_FENCE } from "../../src/protocol/fencing.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import Redlock, { ExecutionError } from "../../src/integrations/redlock/index.js";
import { type CommandedNode, flushNodes, RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys, nodeState, setFence } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";

let fleet: RedisFleet;
let redis: readonly Redis[];

/** Clients of a test, which it disconnects. */
function opened(): AsyncDisposable & { readonly all: readonly Redis[] } {
  const all = fleet.urls.map((url) => new Redis(url));
  return {
    all,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map((client) => client.quit()));
    },
  };
}

/** The fields of the node's record that are fences of names. */
async function namedFences(node: CommandedNode): Promise<string[]> {
  const fields = (await node.command("HKEYS", RECORD_KEY)) as string[];
  return fields.filter((field) => /^\d+$/.test(field));
}

/** Tests as users write them: each begins with empty nodes, and the lock is to be had without a wait. */
function suite(title: string, empty: () => Promise<unknown>): void {
  describe(title, () => {
    let locks: LockManager;
    let lastToken = 0;
    before(() => (locks = new LockManager(fleet.urls, PATIENT)));
    beforeEach(empty);
    after(() => locks.close());

    for (const round of ["first", "second", "third", "last"]) {
      it(`locks in the ${round} test, and finds nothing of the others`, async () => {
        // A new deployment may take a moment to open.
        const lock = await (round === "first" ? locks.acquire("name") : locks.tryAcquire("name"));
        if (lock === null) return expect.fail("held");
        expect(lock.fencingToken).to.be.above(lastToken);
        lastToken = lock.fencingToken;
        // It stays, so that the next test depends on its being gone.
        await Promise.all(fleet.nodes.map((node) => node.command("SET", "left", round)));
        if (round !== "last") return;
        expect(await lock.release()).to.equal("released");
        await noLockKeys(fleet.nodes);
      });
    }
  });
}

describe("Nodes of tests that flush", () => {
  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    redis = fleet.urls.map((url) => new Redis(url, { lazyConnect: true }));
  });
  after(async () => {
    for (const client of redis) client.disconnect();
    await fleet.stop();
  });

  describe("flushNodes before each test", () => {
    suite("by servers", () => flushNodes(fleet.nodes));
    suite("by URLs", () => flushNodes(fleet.urls));
    suite("by clients", () => flushNodes(redis));
    suite("by clients of node-redis", () =>
      flushNodes(fleet.urls.map((url) => createClient({ url }))),
    );

    describe("with the drop-in", () => {
      const settings = { retryCount: 0 };
      let clients: readonly Redis[];
      before(() => (clients = fleet.urls.map((url) => new Redis(url, { keyPrefix: "app:" }))));
      beforeEach(() => flushNodes(clients));
      after(() => clients.forEach((client) => client.disconnect()));

      for (const round of ["first", "second", "third"]) {
        it(`locks in the ${round} test, and finds nothing of the others`, async () => {
          const redlock = new Redlock(clients, settings);
          const lock = await redlock.acquire(["name"], 10_000);
          expect(lock.expiration).to.be.above(Date.now());
        });
      }
    });

    describe("in memory", () => {
      let nodes: readonly MemoryNode[];
      let locks: LockManager;
      before(() => {
        nodes = memoryNodes(3);
        locks = new LockManager(nodes);
      });
      beforeEach(() => flushNodes(nodes));
      after(() => locks.close());

      for (const round of ["first", "second", "third"]) {
        it(`locks in the ${round} test, and finds nothing of the others`, async () => {
          const lock = await (round === "first" ? locks.acquire("name") : locks.tryAcquire("name"));
          expect(lock?.isHeld).to.equal(true);
        });
      }
    });
  });

  describe("flushNodes", () => {
    it("empties every database, and keeps nothing but the node's record", async () => {
      const [node] = fleet.nodes;
      await flushNodes(fleet.nodes);
      await node?.command("SET", "a", "b");
      await node?.command("MOVE", "a", 3);
      await node?.command("SET", "c", "d");
      await flushNodes(fleet.nodes);
      expect(await node?.command("KEYS", "*")).to.deep.equal([RECORD_KEY]);
      expect(await node?.command("INFO", "keyspace")).to.not.include("db3");
    });

    it("keeps no fence of a name, but one for all that is above them", async () => {
      await using locks = new LockManager(fleet.urls, PATIENT);
      const names = Array.from({ length: 20 }, (_, at) => `name ${at}`);
      const tokens = await Promise.all(
        names.map(async (name) => {
          await using lock = await locks.acquire(name);
          return lock.fencingToken;
        }),
      );
      for (const node of fleet.nodes) {
        // The locks were there with a quorum; the call to a node that is late must not come after the flush.
        await eventually("the node has the fences of all names", async () => {
          return (await namedFences(node)).length === names.length;
        });
      }
      await flushNodes(fleet.nodes);
      for (const node of fleet.nodes) {
        expect(await namedFences(node)).to.deep.equal([]);
        for (const field of ["floor", "top"]) {
          const fence = Number(await node.command("HGET", RECORD_KEY, field));
          expect(fence, field).to.be.at.least(Math.max(...tokens));
        }
      }
    });

    it("makes nodes vote for whoever comes later that were flushed before, or restarted empty", async () => {
      await using locks = new LockManager(fleet.urls, PATIENT);
      locks.on("warning", () => {});
      await flushNodes(fleet.nodes);
      await allNodes(locks);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
      await nodeState(locks, 0, "quarantined");
      await at(fleet.nodes, 1).restart({ keepData: false });
      await flushNodes(fleet.nodes);
      await using other = new LockManager(fleet.urls, PATIENT);
      await allNodes(other);
      const lock = await other.tryAcquire("name");
      expect(await lock?.release()).to.equal("released");
    });

    it("keeps no absurd fence that a test has left behind", async () => {
      await using locks = new LockManager(fleet.urls, PATIENT);
      await Promise.all(fleet.nodes.map((node) => setFence(node, "name", MAX_FENCE)));
      await flushNodes(fleet.nodes);
      const lock = await locks.acquire("name");
      expect(lock.fencingToken / 1_000).to.be.below(Date.now() + 3_600_000);
      await lock.release();
    });

    for (const [given, message] of [
      [[], /`nodes` must be a list of nodes, got /],
      ["redis://127.0.0.1:1", /`nodes` must be a list of nodes/],
      [[7], /`nodes\[0\]` must be a URL/],
      [["redis://127.0.0.1:1", "http://a"], /nodes\[1\]/],
    ] as const) {
      it(`refuses ${JSON.stringify(given)}`, async () => {
        const error = (await rejectionOf(flushNodes(given as never))) as Error;
        expect(error).to.be.instanceOf(TypeError);
        expect(error.message).to.match(message);
      });
    }

    it("says which node it cannot reach", async () => {
      const error = (await rejectionOf(flushNodes(["redis://127.0.0.1:1"]))) as Error;
      expect(error.message).to.match(/^127\.0\.0\.1:1: .*ECONNREFUSED/);
    });
  });

  describe("nodes that a test only flushes", () => {
    const WAY_OUT =
      /flushed.*flushNodes.*quorate\/testing.*`quarantine: "off"`.*docs\/how-to\/testing\.md/;

    it("do not vote, and the error says what to do instead", async () => {
      await flushNodes(fleet.nodes);
      await using locks = new LockManager(fleet.urls, PATIENT);
      await allNodes(locks);
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      await rejectionOf(locks.tryAcquire("name"));
      await allNodes(locks, "quarantined");
      const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
      expect(error.votes.map(({ message = "" }) => WAY_OUT.test(message))).to.include(true);
      expect(error.message).to.match(/was flushed, or lost its data; it votes in \d+ s/);
      await flushNodes(fleet.nodes);
    });

    it("do not vote with the drop-in either, whose error says why, and what to do instead", async () => {
      await flushNodes(fleet.nodes);
      await using clients = opened();
      const redlock = new Redlock(clients.all, { retryCount: 2, retryDelay: 50 });
      const held = await redlock.acquire(["name"], 5_000);
      await at(fleet.nodes, 0).flush();
      // A minority is not the reason.
      const contended = (await rejectionOf(redlock.acquire(["name"], 1_000))) as Error;
      expect(contended.message).to.equal(
        "The operation was unable to achieve a quorum during its retry window.",
      );
      await held.release();
      await Promise.all(fleet.nodes.map((node) => node.flush()));
      const error = (await rejectionOf(redlock.acquire(["name"], 1_000))) as Error;
      expect(error).to.be.instanceOf(ExecutionError);
      expect(error.message)
        .to.match(/^The operation was unable to achieve a quorum during its retry window\. \(/)
        .and.match(WAY_OUT);
      await flushNodes(fleet.nodes);
    });

    for (const [what, options] of [
      ["do not matter without quarantine", { quarantine: "off" }],
      ["are not needed where each test has a prefix of its own, which it deletes", {}],
    ] as const) {
      it(what, async () => {
        await flushNodes(fleet.nodes);
        const keyPrefix = "test:";
        await using locks = new LockManager(fleet.urls, { ...PATIENT, ...options, keyPrefix });
        await locks.ready();
        for (let round = 0; round < 3; round++) {
          const lock = await locks.tryAcquire("name");
          expect(lock?.isHeld).to.equal(true);
          for (const node of fleet.nodes) {
            if ("quarantine" in options) await node.flush();
            else {
              const keys = (await node.command("KEYS", `${keyPrefix}*`)) as string[];
              if (keys.length > 0) await node.command("DEL", ...keys);
            }
          }
        }
        await locks.close();
        await flushNodes(fleet.nodes);
      });
    }
  });
});
