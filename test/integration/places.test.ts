import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Redis } from "ioredis";
import { LockManager, type Lock } from "../../src/index.js";
import { PLACE_MS } from "../../src/protocol/node-queue.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, queueSize } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionOf } from "../support/settle.js";

const OPTIONS = { ...PATIENT, ttlMs: 30_000, maxTtlMs: 60_000, waitMs: 60_000 };

type Acquire = (locks: LockManager, name: string) => Promise<Lock>;
const exclusively: Acquire = (locks, name) => locks.acquire(name);
const reading: Acquire = (locks, name) => locks.acquire(name, { mode: "shared" });
const permit: Acquire = (locks, name) => locks.semaphore(name, { permits: 1 }).acquire();

describe("Places in the queues of the nodes", () => {
  let fleet: RedisFleet;
  const managers: LockManager[] = [];

  async function manager(urls: readonly string[] = fleet.urls, options = {}): Promise<LockManager> {
    const locks = new LockManager([...urls], { ...OPTIONS, ...options });
    managers.push(locks);
    await allNodes(locks);
    return locks;
  }

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });

  afterEach(async () => {
    await Promise.all(managers.splice(0).map((locks) => locks.close()));
    await fleet.stop();
  });

  it("W2: a writer that is cut off keeps readers out for a few seconds only", async () => {
    const [a, b] = [await manager(), await manager()];
    const links = await fleet.linksFor("writer");
    const writer = await manager(links.map(({ url }) => url));
    const first = await a.acquire("name", { mode: "shared" });
    const controller = new AbortController();
    const waiting = rejectionOf(writer.acquire("name", { signal: controller.signal }));
    await eventually("it is in the queues", async () => {
      const sizes = await Promise.all(fleet.nodes.map((node) => queueSize(node, "name")));
      return sizes.every((size) => size === 1);
    });
    for (const link of links) link.blackhole();
    // The first comes while the writer counts; and both ask as often as they like.
    const readers = [b.acquire("name", { mode: "shared" }), a.acquire("name", { mode: "shared" })];
    const locks = await Promise.all(readers);
    expect(first.isHeld).to.equal(true);
    controller.abort();
    await waiting;
    for (const link of links) await link.heal();
    await Promise.all([...locks, first].map((lock) => lock.release()));
  });

  it("W2: count while they are refreshed, however long the writer waits", async () => {
    const [a, b, c] = [await manager(), await manager(), await manager()];
    const first = await a.acquire("name", { mode: "shared" });
    const writer = b.acquire("name");
    await eventually("it is in the queues", async () => {
      const sizes = await Promise.all(fleet.nodes.map((node) => queueSize(node, "name")));
      return sizes.every((size) => size === 1);
    });
    await sleep(PLACE_MS + 1_000);
    expect(await c.tryAcquire("name", { mode: "shared" })).to.equal(null);
    await first.release();
    await (await writer).release();
  });

  it("of one that is gone do not count, though somebody listens to all channels", async () => {
    const [a, b] = [await manager(), await manager()];
    const listeners = fleet.urls.map((url) => new Redis(url));
    await Promise.all(listeners.map((redis) => redis.psubscribe("*")));
    const first = await a.acquire("name", { mode: "shared" });
    // As a process has left it that was ended a while ago.
    for (const node of fleet.nodes) {
      const [seconds] = (await node.command("TIME")) as [string];
      const place = `100:${"A".repeat(22)}`;
      const goneMs = Number(seconds) * 1_000 - PLACE_MS;
      await node.command(
        ...([
          "ZADD",
          "quorate:queue:{lock:name}",
          1,
          place,
          2 ** 52 + goneMs,
          `@${place}`,
        ] as const),
      );
    }
    const second = await b.tryAcquire("name", { mode: "shared" });
    expect(second).to.not.equal(null);
    await Promise.all([first.release(), second?.release()]);
    for (const redis of listeners) redis.disconnect();
  });

  it("lose no wake-up: when all of two thousand names are released everybody gets theirs", async () => {
    const [holder, waiter] = [await manager(), await manager()];
    const names = Array.from({ length: 2_000 }, (_, n) => `name${n}`);
    const held: Lock[] = [];
    for (let from = 0; from < names.length; from += 200) {
      const some = names.slice(from, from + 200);
      held.push(...(await Promise.all(some.map((name) => holder.acquire(name)))));
    }
    const waiting = names.map((name) => waiter.acquire(name));
    const last = at(names, names.length - 1);
    await eventually(
      "the last one stands in a queue",
      async () => (await queueSize(at(fleet.nodes, 0), last)) === 1,
      60_000,
    );
    await Promise.all(held.map((lock) => lock.release()));
    const all = await Promise.all(waiting);
    expect(new Set(all.map(({ name }) => name)).size).to.equal(names.length);
    await Promise.all(all.map((lock) => lock.release()));
  }).timeout(180_000);

  it("find what no message told of: a name that somebody deleted, and a node that forgot its queues", async () => {
    const [a, b] = [await manager(), await manager()];
    await a.acquire("name", { renew: false });
    const waiting = b.acquire("name");
    await eventually(
      "it is in the queue",
      async () => (await queueSize(at(fleet.nodes, 0), "name")) === 1,
    );
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "quorate:queue:{lock:name}")));
    await eventually(
      "it is in the queue again",
      async () => (await queueSize(at(fleet.nodes, 0), "name")) === 1,
    );
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:name")));
    await (await waiting).release();
  });

  for (const [title, acquire, message] of [
    ["a plain lock", exclusively, /^granted \d+ \d+ 1 [0-9a-f]{40} lock:name$/u],
    ["a reader", reading, /^r100:lock:name$/u],
    ["a permit", permit, /^s100:lock:name$/u],
  ] satisfies [string, Acquire, RegExp][]) {
    it(`are named in the message that says that it is their turn: ${title}`, async () => {
      const [a, b] = [await manager(), await manager()];
      const listener = new Redis(at(fleet.urls, 0));
      const messages: string[] = [];
      await listener.psubscribe("quorate:inbox:*");
      listener.on("pmessage", (_, __, text) => messages.push(text));
      const held = await a.acquire("name");
      const stands = async (count: number): Promise<void> => {
        await eventually("it is in the queues", async () => {
          const sizes = await Promise.all(fleet.nodes.map((node) => queueSize(node, "name")));
          return sizes.every((size) => size === count);
        });
      };
      const first = acquire(b, "name");
      await stands(1);
      // The other one of the same process comes later, and is not meant.
      const second = (acquire === permit ? exclusively : permit)(b, "name");
      await stands(2);
      await held.release();
      await eventually("it is told", async () => messages.some((text) => text !== ""));
      expect(messages.find((text) => text !== "")).to.match(message);
      await Promise.all([first, second].map(async (lock) => (await lock).release()));
      listener.disconnect();
    });
  }

  for (const [title, hold, wait] of [
    ["plain locks", exclusively, exclusively],
    ["readers", exclusively, reading],
    ["permits", permit, permit],
  ] satisfies [string, Acquire, Acquire][]) {
    it(`are refreshed by few commands, and nothing is asked for while the names are held: ${title}`, async () => {
      const [a, b] = [await manager(), await manager()];
      const names = Array.from({ length: 100 }, (_, n) => `name${n}`);
      const held = await Promise.all(names.map((name) => hold(a, name)));
      const waiting = names.map((name) => wait(b, name));
      const node = at(fleet.nodes, 0);
      for (const name of names) {
        await eventually("it stands in all queues", async () => {
          const sizes = await Promise.all(fleet.nodes.map((each) => queueSize(each, name)));
          return sizes.every((size) => size === 1);
        });
      }
      await sleep(500);
      const calls = async (command: string): Promise<number> => {
        const stats = String(await node.command("INFO", "commandstats"));
        return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      };
      const [scripts, attempts] = [await calls("evalsha"), await calls("hmget")];
      await sleep(1_500);
      await eventually("it is refreshed", async () => (await calls("evalsha")) > scripts);
      // No acquire asks which incarnation it is, and 100 names are one call.
      expect((await calls("hmget")) - attempts).to.equal(0);
      expect((await calls("evalsha")) - scripts).to.be.at.most(20);
      await Promise.all(held.map((lock) => lock.release()));
      await Promise.all((await Promise.all(waiting)).map((lock) => lock.release()));
    });
  }
});
