import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import * as fc from "fast-check";
import { LockManager, type Lock } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { MAX_PASSED_BACK_A_SECOND } from "../../src/coordinator/wait-queues.js";
import { inboxChannel } from "../../src/protocol/keys.js";
import { allNodes, at } from "../support/nodes.js";
import { eventually } from "../support/settle.js";

const OPTIONS = { ttlMs: 20_000, nodeTimeoutMs: 5_000, waitMs: 240_000 };

/** What anybody who may publish can write to the channel of a process: nearly right, or not at all. */
const messages = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("", "r", "s", "x"),
      fc.constantFrom("5", "20", "100", "0", "-5", "101", "99999999", "NaN", "1e1", "2.5", ""),
      fc.constantFrom(
        ...[
          "",
          "/0",
          "/1",
          "/2",
          "/7",
          "/999",
          "/1000",
          "/-1",
          "/1.5",
          "/NaN",
          "/1e9",
          "/",
          "/0x1",
        ],
      ),
      fc.constantFrom(
        ...["lock:name", "lock:pool", "lock:readers", "lock:nobody", "quorate:incarnation"],
        ...["", "lock:", "quorate:queue:{lock:name}"],
      ),
    )
    .map(([prefix, turn, permit, key]) => `${prefix}${turn}${permit}:${key}`),
  fc.string({ maxLength: 60, unit: "binary" }),
  fc.constantFrom("100:lock:name", "100/7:lock:pool", "s100:lock:pool", "r100:lock:readers"),
  fc.nat(100_000).map((size) => `20:${"x".repeat(size)}`),
);

describe("Messages that no node has sent", function () {
  this.timeout(120_000);
  let fleet: RedisFleet;
  let holder: LockManager;
  let waiting: LockManager;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    holder = new LockManager(fleet.urls, OPTIONS);
    waiting = new LockManager(fleet.urls, OPTIONS);
    await Promise.all([allNodes(holder), allNodes(waiting)]);
  });

  afterEach(async () => {
    await Promise.all([holder.close(), waiting.close()]);
    await fleet.stop();
  });

  /** To all processes that listen, at each node. */
  async function publish(texts: readonly string[], nodes: readonly number[]): Promise<void> {
    const channels = (await at(fleet.nodes, 0).command(
      "PUBSUB",
      "CHANNELS",
      inboxChannel("*"),
    )) as string[];
    for (const text of texts) {
      const sent = channels.flatMap((channel) =>
        nodes.map((node) => at(fleet.nodes, node).command("PUBLISH", channel, text)),
      );
      await Promise.all(sent);
    }
  }

  async function held(): Promise<Lock[]> {
    const pool = holder.semaphore("pool", { permits: 2 });
    return Promise.all([
      holder.acquire("name"),
      holder.acquire("readers"),
      pool.acquire(),
      pool.acquire(),
    ]);
  }

  function wanted(onGrant: (lock: Lock) => void): Promise<Lock>[] {
    const pool = waiting.semaphore("pool", { permits: 2 });
    const all = [
      waiting.acquire("name"),
      waiting.acquire("readers", { mode: "shared" }),
      pool.acquire(),
      pool.acquire(),
    ];
    for (const one of all) one.then(onGrant, () => {});
    return all;
  }

  async function listening(count: number): Promise<void> {
    await eventually(`${count} listen`, async () => {
      const lists = await Promise.all(
        fleet.nodes.map((node) => node.command("PUBSUB", "CHANNELS", inboxChannel("*"))),
      );
      return lists.every((list) => (list as string[]).length === count);
    });
  }

  it("cost time at most: nobody is granted anything, nobody loses anything, all get their turn", async () => {
    const [locks, granted] = [await held(), [] as Lock[]];
    const all = wanted((lock) => granted.push(lock));
    await listening(1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(messages, { minLength: 1, maxLength: 30 }),
        fc.subarray([0, 1, 2], { minLength: 1 }),
        async (texts, nodes) => {
          await publish(texts, nodes);
          expect(granted.map(({ name }) => name)).to.deep.equal([]);
        },
      ),
      { numRuns: 60 },
    );
    await sleep(300);
    expect(granted).to.deep.equal([]);
    expect(locks.map((lock) => lock.isHeld)).to.deep.equal([true, true, true, true]);
    await Promise.all(locks.map((lock) => lock.release()));
    await Promise.all((await Promise.all(all)).map((lock) => lock.release()));
  });

  for (const text of [
    "100/7:lock:pool",
    "100/2:lock:pool",
    "100/-1:lock:pool",
    "100/NaN:lock:pool",
  ]) {
    it(`grant no permit that there is not: ${text}`, async () => {
      const locks = await held();
      const granted: Lock[] = [];
      const all = wanted((lock) => granted.push(lock));
      await listening(1);
      for (let count = 0; count < 20; count++) await publish([text], [0, 1, 2]);
      await sleep(300);
      expect(granted).to.deep.equal([]);
      await Promise.all(locks.map((lock) => lock.release()));
      await Promise.all((await Promise.all(all)).map((lock) => lock.release()));
    });
  }

  it("make no process ask the nodes more than so often about names that it does not want", async () => {
    const locks = await held();
    const all = wanted(() => {});
    await listening(1);
    const leaves = async (): Promise<number> => {
      const stats = String(await at(fleet.nodes, 0).command("INFO", "commandstats"));
      return Number(/cmdstat_zrem:calls=(\d+)/.exec(stats)?.[1] ?? 0);
    };
    const [before, startMs] = [await leaves(), performance.now()];
    const script = "for n = 1, 5000 do redis.call('PUBLISH', ARGV[1], '20:lock:' .. n) end";
    const [channel] = (await at(fleet.nodes, 0).command(
      "PUBSUB",
      "CHANNELS",
      inboxChannel("*"),
    )) as string[];
    await at(fleet.nodes, 0).command("EVAL", script, 0, String(channel));
    await sleep(100);
    // Beside what the waiters do themselves.
    const seconds = (performance.now() - startMs) / 1_000;
    const bound = MAX_PASSED_BACK_A_SECOND * (1 + seconds) + 200 * (1 + seconds);
    expect((await leaves()) - before).to.be.below(Math.min(bound, 5_000));
    await Promise.all(locks.map((lock) => lock.release()));
    await Promise.all((await Promise.all(all)).map((lock) => lock.release()));
  });
});
