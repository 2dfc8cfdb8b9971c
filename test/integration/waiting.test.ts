import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockManager, type LockManagerOptions } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, lockKeys, noLockKeys, queueSize } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionOf } from "../support/settle.js";

/** Whoever is not woken looks by itself only after half of the longest pause: far too late here. */
const WOKEN: LockManagerOptions = {
  ...PATIENT,
  ttlMs: 60_000,
  waitMs: 60_000,
  retry: { minDelayMs: 1, maxDelayMs: 60_000 },
};
const MUST_BE_WOKEN_MS = 20_000;

describe("Waiting", () => {
  let fleet: RedisFleet;
  const managers: LockManager[] = [];

  async function manager(options: LockManagerOptions = {}): Promise<LockManager> {
    const locks = new LockManager(fleet.urls, { ...WOKEN, ...options });
    managers.push(locks);
    await allNodes(locks);
    return locks;
  }

  /** Waits until so many processes stand in the queue of a quorum. */
  async function queued(name: string, count: number): Promise<void> {
    await eventually(`${count} in the queue of ${name}`, async () => {
      const sizes = await Promise.all(fleet.nodes.map((node) => queueSize(node, name)));
      return 2 * sizes.filter((size) => size === count).length > sizes.length;
    });
  }

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });

  afterEach(async () => {
    await Promise.all(managers.splice(0).map((locks) => locks.close()));
    await fleet.stop();
  });

  it("ends when the holder in another process releases, without a look of its own", async () => {
    const [a, b] = [await manager(), await manager()];
    const held = await a.acquire("name");
    const waiting = b.acquire("name");
    await queued("name", 1);
    await held.release();
    const startMs = performance.now();
    const next = await waiting;
    expect(performance.now() - startMs).to.be.below(MUST_BE_WOKEN_MS);
    expect(next.fencingToken).to.be.above(held.fencingToken ?? Infinity);
  });

  it("is served in the order of arrival, in one process and between processes", async () => {
    const all = [await manager(), await manager(), await manager()];
    const held = await at(all, 0).acquire("name");
    const order: number[] = [];
    const waiting: Promise<void>[] = [];
    for (let n = 0; n < 9; n++) {
      const locks = at(all, n % 3);
      waiting.push(
        locks.request("name", async () => {
          order.push(n);
          await sleep(2);
        }),
      );
      // Only the first of a process stands in the queue.
      await queued("name", Math.min(n + 1, 3));
    }
    await held.release();
    await Promise.all(waiting);
    // Of each process the first contends: what stands behind it in the line comes when it is gone.
    for (let process = 0; process < 3; process++) {
      const own = order.filter((n) => n % 3 === process);
      expect(own).to.deep.equal(own.toSorted((x, y) => x - y));
    }
    expect(order.toSorted((x, y) => x - y)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    // A process hands the lock over within its line: 0 3 6 1 4 7 2 5 8, where nobody misses a turn.
    const displaced = order.map((n, place) => Math.abs(n - place));
    expect(Math.max(...displaced), order.join(" ")).to.be.at.most(4);
  });

  it("passes by one that gave up, and one whose process is gone", async () => {
    const [a, b, c, d] = [await manager(), await manager(), await manager(), await manager()];
    const held = await a.acquire("name");
    const controller = new AbortController();
    const given = rejectionOf(b.acquire("name", { signal: controller.signal }));
    await queued("name", 1);
    const gone = rejectionOf(c.acquire("name"));
    await queued("name", 2);
    const waiting = d.acquire("name");
    await queued("name", 3);
    controller.abort(new Error("enough"));
    await given;
    await c.close();
    await gone;
    await held.release();
    const startMs = performance.now();
    await waiting;
    expect(performance.now() - startMs).to.be.below(MUST_BE_WOKEN_MS);
  });

  it("goes on when it is the turn of one that has just given up", async () => {
    const [a, b, c] = [await manager(), await manager(), await manager()];
    for (let round = 0; round < 5; round++) {
      const held = await a.acquire("name");
      const controller = new AbortController();
      const given = rejectionOf(b.acquire("name", { signal: controller.signal }));
      await queued("name", 1);
      const waiting = c.acquire("name");
      await queued("name", 2);
      const released = held.release();
      controller.abort(new Error("enough"));
      const error = await given;
      await released;
      // It may have been faster than its own abort.
      expect((error as Error).message).to.equal("enough");
      const next = await waiting;
      await next.release();
      await noLockKeys(fleet.nodes);
    }
  });

  it("needs no node of a minority", async () => {
    const [a, b] = [await manager(), await manager()];
    const held = await a.acquire("name");
    const waiting = b.acquire("name");
    await queued("name", 1);
    await at(fleet.nodes, 1).pause();
    await held.release();
    const startMs = performance.now();
    await waiting;
    expect(performance.now() - startMs).to.be.below(MUST_BE_WOKEN_MS);
    await at(fleet.nodes, 1).resume();
  });

  it("of twenty for one name on three nodes ends for all of them", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => manager()));
    let inside = 0;
    const startMs = performance.now();
    await Promise.all(
      all.map(async (locks) => {
        for (let n = 0; n < 5; n++) {
          await locks.request("name", async () => {
            expect(++inside).to.equal(1);
            await sleep(1);
            inside--;
          });
        }
      }),
    );
    expect(performance.now() - startMs).to.be.below(MUST_BE_WOKEN_MS);
  }).timeout(120_000);

  for (const { title, options } of [
    { title: "a plain lock", options: {} },
    { title: "a lock for an owner", options: { owner: "job" } },
    { title: "a lock in the layout of Redisson", options: { layout: "redisson" } },
    { title: "a timestamp lock", options: { layout: "timestamp" } },
    { title: "reading", options: { mode: "shared" } },
  ] as const) {
    it(`for ${title} pauses while a quorum is away, though each node is free at once`, async () => {
      const { layout, ...wanted } = { layout: undefined, ...options };
      const locks = await manager({
        maxTtlMs: 120_000,
        retry: { minDelayMs: 50, maxDelayMs: 50 },
        layout,
      });
      // They forgot, and do not vote for as long as somebody could hold a lock on them.
      for (const node of fleet.nodes.slice(1)) await node.flush();
      const calls = async (): Promise<number> => {
        const stats = String(await at(fleet.nodes, 0).command("INFO", "commandstats"));
        return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0);
      };
      await rejectionOf(locks.acquire("first", { ...wanted, waitMs: 200 }));
      const before = await calls();
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = rejectionOf(locks.acquire("name", { ...wanted, waitMs: 60_000, signal }));
      await sleep(1_000);
      // An attempt is an acquire and a rollback, and begins at most 50 ms after the one before.
      expect((await calls()) - before).to.be.at.most(400);
      await eventually("it asks again and again", async () => (await calls()) - before >= 10);
      controller.abort();
      await waiting;
    });
  }

  it("leaves nothing behind", async () => {
    const all = [await manager(), await manager()];
    const held = await at(all, 0).acquire("name");
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = Array.from({ length: 10 }, (_, n) =>
      rejectionOf(at(all, n % 2).acquire("name", n < 5 ? { signal } : { waitMs: 200 })),
    );
    await queued("name", 2);
    controller.abort();
    await Promise.all(waiting);
    await held.release();
    await noLockKeys(fleet.nodes);
    await eventually("no queue is left", async () => {
      const left = await Promise.all(fleet.nodes.map((node) => node.command("KEYS", "quorate:q*")));
      return left.flat().length === 0;
    });
    expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
  });

  it("works, by looking again, for a user who may not publish", async () => {
    const setUser = (...rules: string[]): Promise<unknown> =>
      Promise.all(fleet.nodes.map((node) => node.command("ACL", "SETUSER", "mute", ...rules)));
    await setUser("on", ">pw", "~*", "+@all", "-publish");
    const urls = fleet.urls.map((url) => url.replace("redis://", "redis://mute:pw@"));
    const options = { ...WOKEN, retry: { minDelayMs: 5, maxDelayMs: 50 } };
    await using a = new LockManager(urls, options);
    await using b = new LockManager(urls, options);
    await Promise.all([allNodes(a), allNodes(b)]);
    const held = await a.acquire("name");
    const waiting = b.acquire("name");
    await sleep(100);
    expect(await held.release()).to.equal("released");
    await (await waiting).release();
  });

  it("fairly keeps newcomers of the process behind those who wait", async () => {
    const locks = await manager({ fair: true });
    const held = await locks.acquire("name");
    const order: string[] = [];
    const first = locks.request("name", () => void order.push("first"));
    expect(await locks.tryAcquire("name")).to.equal(null);
    const second = locks.request("name", () => void order.push("second"));
    await held.release();
    await Promise.all([first, second]);
    expect(order).to.deep.equal(["first", "second"]);
  });
});
