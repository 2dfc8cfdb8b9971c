import { setTimeout as sleep } from "node:timers/promises";
import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { Cluster, Redis } from "ioredis";
import { LockManager, type LockManagerOptions } from "../../src/index.js";
import { inboxChannel } from "../../src/protocol/keys.js";
import type { RedisProcess } from "../../src/testing/index.js";
import { moveSlot, startCluster, startPair } from "../support/cluster.js";
import { freeByHand, holdByHand, noLockKeys, queueSize, serverVersion } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { aborted, eventually } from "../support/settle.js";

/** Whoever is not told, and does not find out by a refresh, is too late. */
const OPTIONS: LockManagerOptions = {
  ...PATIENT,
  ...{ ttlMs: 30_000, waitMs: 60_000 },
  retry: { minDelayMs: 1, maxDelayMs: 60_000 },
};

/** The steps that a server is asked for, in order. */
class Watch implements AsyncDisposable {
  readonly steps: string[] = [];
  readonly #client: Redis;
  readonly #server: RedisProcess;

  private constructor(client: Redis, server: RedisProcess) {
    this.#client = client;
    this.#server = server;
    client.on("monitor", (_: string, [name = "", ...words]: string[]) => {
      if (/^echo$/i.test(name)) this.steps.push(words[0] ?? "");
      if (/^eval/i.test(name))
        this.steps.push(...words.filter((word) => /^(?:acquire|release|refresh)$/.test(word)));
    });
  }

  static async on(server: RedisProcess): Promise<Watch> {
    const options = { port: server.port, lazyConnect: true, retryStrategy: () => null };
    return new Watch(await new Redis(options).monitor(), server);
  }

  /** What came since then, without refreshes, which come all the time. */
  async since(what: () => Promise<unknown>): Promise<readonly string[]> {
    const from = await this.#mark("start");
    await what();
    const to = await this.#mark("end");
    return this.steps.slice(from + 1, to).filter((step) => step !== "refresh");
  }

  /** Resolves to where it stands among the steps: others may have followed. */
  async #mark(word: string): Promise<number> {
    const from = this.steps.length;
    await this.#server.command("ECHO", word);
    await eventually("it is seen", () => this.steps.includes(word, from));
    return this.steps.indexOf(word, from);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.disconnect();
  }
}

/** Of processes that listen on the server. */
async function channelsOn(server: RedisProcess): Promise<readonly string[]> {
  return (await server.command("PUBSUB", "SHARDCHANNELS", inboxChannel("*"))) as string[];
}

describe("Waiters for locks on a Cluster", function () {
  this.timeout(60_000);
  const managers: LockManager[] = [];
  const servers: RedisProcess[] = [];

  async function cluster(): Promise<RedisProcess> {
    const server = await startCluster();
    servers.push(server);
    return server;
  }

  async function pair(): Promise<readonly [RedisProcess, RedisProcess]> {
    const members = await startPair();
    servers.push(...members);
    return members;
  }

  function manager(server: RedisProcess, over: LockManagerOptions = {}, user?: string) {
    const redisOptions = user === undefined ? {} : { username: user, password: "secret" };
    const client = new Cluster([{ host: "127.0.0.1", port: server.port }], {
      ...{ lazyConnect: true, redisOptions },
    });
    const locks = new LockManager([client], { ...OPTIONS, ...over });
    managers.push(locks);
    return locks;
  }

  afterEach(async () => {
    await Promise.all(managers.splice(0).map((locks) => locks.close()));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  /** A waiter that listens, and whose acquire is left on the server. */
  async function waits(server: RedisProcess, locks: LockManager, name: string) {
    const lock = locks.acquire(name);
    await eventually("it waits", async () => {
      const isLeft = await server.command("KEYS", `quorate:deferred-*${name}*`);
      return (isLeft as string[]).length === 1 && (await queueSize(server, name)) === 1;
    });
    await eventually("it listens", async () => (await channelsOn(server)).length > 0);
    return { lock };
  }

  describe("with sharded pub/sub", () => {
    before(async function () {
      if ((await serverVersion()) < 7) this.skip();
    });

    it("get one by a message of the member that frees it, and ask nothing", async () => {
      const server = await cluster();
      const [a, b] = [manager(server), manager(server)];
      const held = await a.acquire("name");
      const waiting = await waits(server, b, "name");
      // Longer than the acquire that was left counts by itself: the member has to have heard of the process since.
      await sleep(700);
      await using watch = await Watch.on(server);
      const steps = await watch.since(async () => {
        await held.release();
        await waiting.lock;
      });
      expect(steps).to.deep.equal(["release"]);
      const next = await waiting.lock;
      expect(next.fencingToken).to.be.above(held.fencingToken ?? Infinity);
      await next.extend();
      expect(await next.release()).to.equal("released");
      await noLockKeys([server]);
    });

    it("are told by it, too, where their process observes names", async () => {
      const server = await cluster();
      const [a, b] = [manager(server), manager(server)];
      const [held, other] = [await a.acquire("name"), await a.acquire("other")];
      const before = await waits(server, b, "other");
      const seen = b.observe("name");
      expect((await seen.next()).value).to.not.equal(null);
      const waiting = await waits(server, b, "name");
      const slots = [keySlot("lock:name"), keySlot("lock:other")];
      await eventually("it listens in each slot in which it waits", async () => {
        const channels = await channelsOn(server);
        return slots.every((slot) => channels.some((channel) => keySlot(channel) === slot));
      });
      await using watch = await Watch.on(server);
      const steps = await watch.since(async () => {
        await held.release();
        await waiting.lock;
      });
      expect(steps).to.deep.equal(["release"]);
      await seen.return?.();
      await other.release();
      await Promise.all([waiting.lock, before.lock].map(async (lock) => (await lock).release()));
    });

    it("are told after the connection of their messages was broken", async () => {
      const server = await cluster();
      const [a, b] = [manager(server), manager(server)];
      const held = await a.acquire("name");
      const waiting = await waits(server, b, "name");
      await server.command("CLIENT", "KILL", "TYPE", "pubsub");
      expect(await channelsOn(server)).to.deep.equal([]);
      await eventually("it listens again", async () => (await channelsOn(server)).length === 1);
      await using watch = await Watch.on(server);
      const steps = await watch.since(async () => {
        await held.release();
        await waiting.lock;
      });
      expect(steps).to.deep.equal(["release"]);
      await (await waiting.lock).release();
    });

    it("are told by the member that has got the slot meanwhile", async () => {
      const [first, second] = await pair();
      const [a, b] = [manager(first), manager(first)];
      const held = await a.acquire("name");
      const waiting = await waits(first, b, "name");
      await moveSlot(keySlot("lock:name"), first, second);
      expect(await channelsOn(first)).to.deep.equal([]);
      await eventually("it listens there", async () => (await channelsOn(second)).length === 1);
      await eventually("it waits there", async () => (await queueSize(second, "name")) === 1);
      await using watch = await Watch.on(second);
      const steps = await watch.since(async () => {
        await held.release();
        await waiting.lock;
      });
      expect(steps.filter((step) => step === "acquire")).to.deep.equal([]);
      expect(await (await waiting.lock).release()).to.equal("released");
    });

    it("find out by refreshes what nobody tells them, of names on several members", async () => {
      const [first, second] = await pair();
      const names = ["a", "b", "c", "d", "e"];
      await moveSlot(keySlot("lock:b"), first, second);
      await moveSlot(keySlot("lock:d"), first, second);
      const serverOf = (name: string) => (name === "b" || name === "d" ? second : first);
      for (const name of names) await holdByHand([serverOf(name)], name);
      const locks = manager(first);
      const waiting = names.map((name) => locks.acquire(name));
      for (const name of names)
        await eventually("it waits", async () => (await queueSize(serverOf(name), name)) === 1);
      for (const name of names) await freeByHand([serverOf(name)], name);
      for (const lock of await Promise.all(waiting)) await lock.release();
    });

    it("are told of permits", async () => {
      const server = await cluster();
      const [a, b] = [manager(server), manager(server)];
      const held = await a.semaphore("name", { permits: 1 }).acquire();
      const waiting = b.semaphore("name", { permits: 1 }).acquire();
      await eventually("it waits", async () => (await queueSize(server, "name")) === 1);
      await eventually("it listens", async () => (await channelsOn(server)).length > 0);
      await held.release();
      await eventually("the permit is kept for it, or it has it", async () => {
        const members = await server.command("ZRANGE", "quorate:permits:{lock:name}", 0, -1);
        return (members as string[]).length === 1;
      });
      await (await waiting).release();
    });

    for (const end of ["steal", "forceRelease"] as const) {
      it(`like the holder of a lock that ends by ${end}, which is told at once`, async () => {
        const server = await cluster();
        const [holder, other] = [manager(server), manager(server)];
        const lock = await holder.acquire("name");
        await lock.extend();
        await lock.extend();
        await eventually("it listens", async () => (await channelsOn(server)).length === 1);
        if (end === "steal") await other.request("name", { steal: true }, () => {});
        else await other.forceRelease("name");
        const startMs = performance.now();
        await aborted(lock.signal);
        expect(performance.now() - startMs, "long before it is renewed").to.be.below(9_000);
      });
    }
  });

  it("poll where nobody can or may subscribe or publish, which is said once", async () => {
    const isAble = (await serverVersion()) >= 7;
    for (const command of isAble ? ["spublish", "ssubscribe"] : ["all"]) {
      const server = await cluster();
      const denied = isAble ? [`-${command}`] : [];
      const rules = ["on", ">secret", "allkeys", "allchannels", "+@all", ...denied];
      await server.command("ACL", "SETUSER", "locker", ...rules);
      const polls = { retry: { minDelayMs: 1, maxDelayMs: 50 } };
      const [locks, other] = [manager(server, polls, "locker"), manager(server, polls)];
      const warnings: string[] = [];
      locks.on("warning", ({ code, message }) => warnings.push(`${code} ${message}`));
      for (let rounds = 0; rounds < 2; rounds++) {
        const held = await other.acquire("name");
        const waiting = locks.acquire("name");
        await eventually(`without ${command}: it is told`, () => warnings.length > 0);
        await held.release();
        await (await waiting).release();
      }
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/^QUORATE_NO_MESSAGES cluster 0: it notifies no waiters/);
    }
  });
});
