import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { FENCE_STEP, fenceAfter } from "../../src/protocol/fencing.js";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { MisconfiguredError } from "../../src/api/node-errors.js";
import { ForeignKeyError, LockLostError, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode } from "../../src/testing/index.js";
import {
  allNodes,
  at,
  fenceOf,
  fenceAhead,
  setFence,
  dropFence,
  noLockKeys,
  pttlOf,
  valueOf,
} from "../support/nodes.js";
import { howMany } from "../support/long.js";
import { PATIENT } from "../support/patient.js";
import { withRawClients } from "../support/raw.js";
import { eventually, rejectionOf, rejectionWith, settled, written } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const OPTIONS = { ...PATIENT, ttlMs: 60_000 };

describe("SCRIPT FLUSH", () => {
  it("between any two operations neither loses nor reorders one", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    await withRawClients(fleet.nodes, async (clients) => {
      const flush = (): Promise<unknown> =>
        Promise.allSettled(clients.map((client) => client.script("FLUSH")));
      const flushing = new AbortController();
      const flusher = (async () => {
        while (!flushing.signal.aborted) {
          // Each once at a time: a server that is slower than this loop would have more and more to do.
          await flush();
          await sleep(Math.random() < 0.5 ? 0 : 1);
        }
      })();
      for (let round = 0; round < howMany(60, 150); round++) {
        const aborted = new AbortController();
        const given = locks.acquire(`up-${round}`, { signal: aborted.signal });
        const won = Array.from({ length: 4 }, (_, index) =>
          locks.acquire(`n-${index}`, { waitMs: 0 }),
        );
        void flush();
        // The release of an attempt that was given up is written right behind its acquire.
        setImmediate(() => {
          void flush();
          aborted.abort();
        });
        await given.then((lock) => lock.release()).catch(() => {});
        for (const lock of await Promise.all(won)) {
          void flush();
          const extended = lock.extend();
          expect(await lock.release()).to.equal("released");
          await extended.catch((error: unknown) => expect(error).to.be.instanceOf(LockLostError));
        }
      }
      flushing.abort();
      await flusher;
    });
    await noLockKeys(fleet.nodes);
  }).timeout(120_000);

  it("does not let an acquire be repeated behind its release", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1, links: true });
    const node = at(fleet.nodes, 0);
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await locks.acquire("before").then((lock) => lock.release());
    await node.command("SCRIPT", "FLUSH");
    // The acquire is turned away, of which its sender does not hear yet ...
    node.link.hold("toClient");
    const controller = new AbortController();
    const pendingAcquire = rejectionOf(locks.acquire("name", { signal: controller.signal }));
    await eventually("it arrived", async () =>
      /errorstat_NOSCRIPT:count=1/.test(String(await node.command("INFO", "errorstats"))),
    );
    // ... somebody else teaches the node the script, and the release is executed.
    await using other = new LockManager([node.directUrl], OPTIONS);
    await other.acquire("other").then((lock) => lock.release());
    controller.abort(new Error("given up"));
    expect(await pendingAcquire).to.have.property("message", "given up");
    await sleep(50);
    await node.link.heal();
    await locks.acquire("after").then((lock) => lock.release());
    await noLockKeys(fleet.nodes);
  });
});

describe("One operation that fails beside others", () => {
  let fleet: RedisFleet;
  let locks: LockManager;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
  });

  afterEach(async () => {
    await locks.close();
    await fleet.stop();
  });

  it("with WRONGTYPE: a lock key that is somebody's data", async () => {
    await Promise.all(
      fleet.nodes.map(async (node) => {
        await node.command("HSET", "lock:hash", "field", "value");
      }),
    );
    const held = await locks.acquire("held");
    const [before, hash, after, extended] = await Promise.all([
      settled(() => locks.acquire("before", { waitMs: 0 })),
      settled(() => locks.acquire("hash", { waitMs: 0 })),
      settled(() => locks.acquire("after", { waitMs: 0 })),
      settled(() => held.extend()),
    ]);
    expect(hash.error).to.be.instanceOf(ForeignKeyError);
    expect([before.error, after.error, extended.error]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    for (const lock of [held, before.value, after.value]) {
      expect(await lock?.release()).to.equal("released");
    }
    expect(await at(fleet.nodes, 0).command("HGET", "lock:hash", "field")).to.equal("value");
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:hash")));
    await noLockKeys(fleet.nodes);
  });

  it("with OOM: no new lock, but the old ones are extended and released", async () => {
    const held = await locks.acquire("held");
    const second = await locks.acquire("second");
    await eventually("all nodes hold both", async () => {
      const left = await Promise.all(
        fleet.nodes.flatMap((node) => [pttlOf(node, "lock:held"), pttlOf(node, "lock:second")]),
      );
      return Math.min(...left) > 0;
    });
    await Promise.all(fleet.nodes.map((node) => node.command("PEXPIRE", "lock:held", 5_000)));
    await Promise.all(fleet.nodes.map((node) => node.command("CONFIG", "SET", "maxmemory", 1)));
    // Written first: a script that has changed something already may go on, says Redis.
    const pendingAcquire = settled(() => locks.acquire("new", { waitMs: 0 }));
    await written();
    const [acquired, extended, released] = await Promise.all([
      pendingAcquire,
      settled(() => held.extend()),
      settled(() => second.release()),
    ]);
    expect(acquired.error).to.be.instanceOf(QuorumUnreachableError);
    const { votes } = acquired.error as QuorumUnreachableError;
    const faults = votes.filter(({ vote }) => vote === "fault");
    expect(faults).to.have.length.above(1);
    for (const { fault, message } of faults) {
      expect(fault).to.equal("server");
      expect(message).to.match(/OOM/);
    }
    expect(extended.error).to.equal(undefined);
    await eventually("all nodes have extended it", async () => {
      const left = await Promise.all(fleet.nodes.map((node) => pttlOf(node, "lock:held")));
      return Math.min(...left) > 5_000;
    });
    expect(released.value).to.equal("released");
    expect(await held.release()).to.equal("released");
    await Promise.all(fleet.nodes.map((node) => node.command("CONFIG", "SET", "maxmemory", 0)));
    const lock = await locks.acquire("new", { waitMs: 0 });
    await lock.release();
    await noLockKeys(fleet.nodes);
  });

  it("with OOM on one node: a release that has to lift the fence, too, deletes the key", async () => {
    const lock = await locks.acquire("name");
    const node = at(fleet.nodes, 0);
    await eventually(
      "it holds the key",
      async () => (await valueOf(node, "lock:name")) === ownerIdOf(lock),
    );
    await dropFence(node, "name");
    await node.command("CONFIG", "SET", "maxmemory", 1);
    expect(await lock.release()).to.equal("released");
    await noLockKeys(fleet.nodes);
  });

  it("with NOPERM: what the user may not do, and only that", async () => {
    const setUser = (...rules: string[]): Promise<unknown> =>
      Promise.all(fleet.nodes.map((node) => node.command("ACL", "SETUSER", "limited", ...rules)));
    await setUser("RESET", "ON", ">secret", "~lock:*", "~quorate:*", "+@all");
    const urls = fleet.nodes.map(({ port }) => `redis://limited:secret@127.0.0.1:${port}`);
    await using limited = new LockManager(urls, { ...OPTIONS, renew: false });
    await allNodes(limited);
    // Later than it is looked for.
    await setUser("-pexpire");
    const held = await limited.acquire("held");
    await sleep(10);
    const [extended, acquired] = await Promise.all([
      settled(() => held.extend()),
      settled(() => limited.acquire("beside", { waitMs: 0 })),
    ]);
    expect(extended.error).to.be.instanceOf(MisconfiguredError);
    const [vote] = (extended.error as MisconfiguredError).votes.filter(
      ({ fault }) => fault === "misconfigured",
    );
    expect(vote?.message).to.match(/permission|can't run this command|NOPERM|ACL/i);
    expect(acquired.error).to.equal(undefined);
    expect(held.isHeld).to.equal(true);
    expect(await held.release()).to.equal("released");
    expect(await acquired.value?.release()).to.equal("released");
    await noLockKeys(fleet.nodes);
  });

  it("in a burst of more operations than fit into one call", async () => {
    const count = 700;
    await Promise.all(
      fleet.nodes.map((node) => node.command("SET", "lock:burst-333", "somebody's data")),
    );
    const all = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        settled(() => locks.acquire(`burst-${index}`, { waitMs: 0 })),
      ),
    );
    expect(all.filter(({ error }) => error !== undefined)).to.have.length(1);
    expect(at(all, 333).error).to.be.instanceOf(ForeignKeyError);
    const results = await Promise.all(all.map(async ({ value }) => value?.release()));
    expect(results.filter((result) => result === "released")).to.have.length(count - 1);
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:burst-333")));
    await noLockKeys(fleet.nodes);
  });
});

describe("Fencing tokens on the nodes", () => {
  it("grow by one fence beyond the clocks, with all sixteen digits", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const start = fenceAhead();
    await Promise.all(fleet.nodes.map((node) => setFence(node, "name", start)));
    // All in one microsecond, as far as the counter is concerned: the clock no longer moves it.
    for (let count = 1; count <= 5; count++) {
      const lock = await locks.acquire("name", { waitMs: 0 });
      expect(lock.fencingToken).to.equal(start + count * FENCE_STEP);
      await lock.release();
    }
    await eventually("it has the last", async () => {
      return (await fenceOf(at(fleet.nodes, 0), "name")) === String(start + 5 * FENCE_STEP);
    });
  });

  it("grow when five grants fall into one instant", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const tokens: number[] = [];
    for (let count = 0; count < 300; count++) {
      const lock = await locks.acquire("name", { waitMs: 0 });
      tokens.push(lock.fencingToken ?? 0);
      void lock.release();
    }
    expect(tokens).to.deep.equal([...new Set(tokens)].toSorted((a, b) => a - b));
  });

  it("are never larger than what a JSON number holds: then there is no grant", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    await Promise.all(fleet.nodes.map((node) => setFence(node, "name", Number.MAX_SAFE_INTEGER)));
    locks.on("warning", () => {});
    const error = await rejectionWith(QuorumUnreachableError, locks.acquire("name", { waitMs: 0 }));
    expect(error.votes.map(({ message }) => message).join(" ")).to.match(
      /the fence would pass 2\^53 - 1: delete/,
    );
    await noLockKeys(fleet.nodes);
  });

  it("are stored by a quorum before they are given out, by one more round trip", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const [behind, ahead, silent] = fleet.nodes as [FleetNode, FleetNode, FleetNode];
    const fence = fenceAhead();
    await setFence(ahead, "name", fence);
    await silent.pause();
    const lock = await locks.acquire("name", { waitMs: 0 });
    expect(lock.fencingToken).to.equal(fenceAfter(fence));
    // At once: whoever comes next may have a quorum without the node that was ahead.
    expect(await fenceOf(behind, "name")).to.equal(String(fenceAfter(fence)));
    await silent.resume();
    await lock.release();
  });

  it("catch up with a node that was ahead, and stay ahead of it", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const ahead = fenceAhead();
    await setFence(at(fleet.nodes, 1), "name", ahead);
    const tokens: number[] = [];
    for (let count = 0; count < 5; count++) {
      const lock = await locks.acquire("name", { waitMs: 0 });
      tokens.push(lock.fencingToken ?? 0);
      await lock.release();
    }
    expect(tokens).to.deep.equal([...new Set(tokens)].toSorted((a, b) => a - b));
    await eventually("all nodes store the last", async () => {
      const fences = await Promise.all(fleet.nodes.map((node) => fenceOf(node, "name")));
      return fences.every((fence) => Number(fence) >= (tokens.at(-1) ?? 0));
    });
  });
});
