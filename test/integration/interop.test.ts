import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { LockContendedError } from "../../src/api/errors.js";
import { ForeignKeyError, LockLostError, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, lockKeys, noLockKeys, nodeHolds } from "../support/nodes.js";
import { withRawClients } from "../support/raw.js";
import { rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const OPTIONS = { ttlMs: 20_000, nodeTimeoutMs: 5_000 };

const TAKEN_MS = 20_000;
const COMPARE_AND_DELETE = `
if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end
return 0`;
const COMPARE_AND_EXPIRE = `
if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("pexpire", KEYS[1], ARGV[2]) end
return 0`;

/** How a client renews and releases what has its value, as the servers' documentation tells. */
interface Recipe {
  /** A command that the server must have. */
  readonly needs: string;
  readonly release: (key: string, value: string) => string[];
  readonly renew: (key: string, value: string, ttlMs: number) => string[];
}

const renewBySet: Recipe["renew"] = (key, value, ttlMs) => {
  return ["SET", key, value, "IFEQ", value, "PX", String(ttlMs)];
};
const BY_SCRIPT: Recipe = {
  needs: "EVAL",
  release: (key, value) => ["EVAL", COMPARE_AND_DELETE, "1", key, value],
  renew: (key, value, ttlMs) => ["EVAL", COMPARE_AND_EXPIRE, "1", key, value, String(ttlMs)],
};
const RECIPES: readonly Recipe[] = [
  BY_SCRIPT,
  // Redis 8.4, Valkey 9.0.
  { needs: "DELEX", release: (key, value) => ["DELEX", key, "IFEQ", value], renew: renewBySet },
  { needs: "DELIFEQ", release: (key, value) => ["DELIFEQ", key, value], renew: renewBySet },
];

interface TakenByHand {
  /** On how many nodes it was. */
  readonly renew: (ttlMs: number) => Promise<number>;
  readonly release: () => Promise<number>;
}

/** The canonical Redlock client, as every language has one. */
async function takeByHand(
  clients: readonly Redis[],
  key: string,
  ttlMs: number,
  recipe = BY_SCRIPT,
): Promise<TakenByHand | undefined> {
  const value = randomUUID();
  const replies = await Promise.all(
    clients.map((client) => client.set(key, value, "PX", ttlMs, "NX")),
  );
  const onAll = async ([command = "", ...args]: readonly string[]): Promise<number> => {
    const answers = await Promise.all(clients.map((client) => client.call(command, ...args)));
    return answers.filter((answer) => answer === 1 || answer === "OK").length;
  };
  const taken = {
    renew: (nextTtlMs: number) => onAll(recipe.renew(key, value, nextTtlMs)),
    release: () => onAll(recipe.release(key, value)),
  };
  if (replies.filter((reply) => reply === "OK").length > clients.length / 2) return taken;
  await taken.release();
  return undefined;
}

describe("A client of another language", () => {
  let fleet: RedisFleet;
  let locks: LockManager;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
  });

  after(async () => {
    await locks.close();
    await fleet.stop();
  });

  it("excludes, and is excluded", async () => {
    await withRawClients(fleet.nodes, async (clients) => {
      const taken = await takeByHand(clients, "lock:name", TAKEN_MS);
      if (taken === undefined) throw new Error("the name was free");
      expect(await locks.tryAcquire("name")).to.equal(null);
      const error = await rejectionWith(LockContendedError, locks.acquire("name", { waitMs: 0 }));
      // It gave no label, but its lease is known.
      expect(error.holderLabel).to.equal(undefined);
      expect(error.remainingMs).to.be.within(1, TAKEN_MS);
      expect(await taken.release()).to.equal(3);

      const lock = await locks.acquire("name", { waitMs: 0 });
      expect(await takeByHand(clients, "lock:name", TAKEN_MS)).to.equal(undefined);
      await nodeHolds(at(fleet.nodes, 0), "lock:name", ownerIdOf(lock));
      expect(await lock.release()).to.equal("released");
    });
    await noLockKeys(fleet.nodes);
  });

  it("takes turns under contention", async function () {
    this.timeout(60_000);
    let inside = 0;
    const enter = (): void => {
      expect(++inside).to.equal(1);
    };
    const turns = { ours: 0, theirs: 0 };
    await using quick = new LockManager(fleet.urls, { ...OPTIONS, retry: { maxDelayMs: 15 } });
    await withRawClients(fleet.nodes, async (clients) => {
      const [startMs, limitMs] = [performance.now(), 25_000];
      const isOver = (): boolean => {
        const passedMs = performance.now() - startMs;
        const hadTurns = turns.ours > 1 && turns.theirs > 1;
        return passedMs > limitMs || (passedMs > 1_200 && hadTurns);
      };
      const ours = async (): Promise<void> => {
        while (!isOver()) {
          await quick.request("turns", async () => {
            enter();
            turns.ours++;
            await sleep(2);
            inside--;
          });
          await sleep(Math.random() * 20);
        }
      };
      const theirs = async (): Promise<void> => {
        while (!isOver()) {
          const taken = await takeByHand(clients, "lock:turns", TAKEN_MS);
          if (taken !== undefined) {
            enter();
            turns.theirs++;
            await sleep(2);
            inside--;
            await taken.release();
          }
          await sleep(Math.random() * 20);
        }
      };
      await Promise.all([ours(), theirs()]);
    });
    expect(turns.ours).to.be.above(1);
    expect(turns.theirs).to.be.above(1);
    await noLockKeys(fleet.nodes);
  });

  for (const recipe of RECIPES) {
    it(`renews and releases only its own, by ${recipe.needs} where its server has it`, async function () {
      const infos = await at(fleet.nodes, 0).command("COMMAND", "INFO", recipe.needs);
      if ((infos as unknown[])[0] === null) this.skip();
      await withRawClients(fleet.nodes, async (clients) => {
        const taken = await takeByHand(clients, "lock:recipe", 500, recipe);
        expect(await taken?.renew(TAKEN_MS)).to.equal(3);
        const { remainingMs } = await rejectionWith(
          LockContendedError,
          locks.acquire("recipe", { waitMs: 0 }),
        );
        expect(remainingMs).to.be.above(500);
        expect(await taken?.release()).to.equal(3);

        const lock = await locks.acquire("recipe", { waitMs: 0 });
        expect(await taken?.renew(TAKEN_MS)).to.equal(0);
        expect(await taken?.release()).to.equal(0);
        await lock.extend();
        expect(await lock.release()).to.equal("released");
      });
      await noLockKeys(fleet.nodes);
    });
  }

  for (const [what, argv, reason] of [
    ["deletes", ["DEL", "lock:careless"], "taken"],
    ["overwrites", ["SET", "lock:careless", "x", "XX", "PX", "500"], "taken"],
    ["overwrites for ever", ["SET", "lock:careless", "x", "XX"], "taken"],
    ["extends", ["PEXPIRE", "lock:careless", "60000"], undefined],
  ] as const) {
    it(`that ${what} without looking ${reason ? "ends" : "does not end"} our lock`, async () => {
      const lock = await locks.acquire("careless");
      await Promise.all(fleet.nodes.map((node) => node.command(...argv)));
      if (reason === undefined) await lock.extend();
      else expect(await rejectionWith(LockLostError, lock.extend())).to.include({ reason });
      expect(lock.isHeld).to.equal(reason === undefined);
      await lock.release();
      await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:careless")));
    });
  }

  it("with another key prefix is another world", async () => {
    await using prefixed = new LockManager(fleet.urls, { ...OPTIONS, keyPrefix: "other:" });
    const lock = await locks.acquire("name");
    const other = await prefixed.acquire("name", { waitMs: 0 });
    await nodeHolds(at(fleet.nodes, 0), "other:name", ownerIdOf(other));
    await lock.release();
    await other.release();
  });
});

describe("Somebody's data under the key of a lock", () => {
  interface Data {
    readonly what: string;
    readonly found: RegExp;
    readonly set: readonly string[];
    readonly get: readonly string[];
    readonly value: unknown;
  }

  const DATA: readonly Data[] = [
    {
      what: "a string without expiry",
      found: /\(string without expiry\)/,
      set: ["SET", "lock:data", "precious"],
      get: ["GET", "lock:data"],
      value: "precious",
    },
    {
      what: "a hash",
      found: /\(hash\)/,
      set: ["HSET", "lock:data", "field", "precious"],
      get: ["HGET", "lock:data", "field"],
      value: "precious",
    },
    {
      what: "a list",
      found: /\(list\)/,
      set: ["RPUSH", "lock:data", "precious"],
      get: ["LRANGE", "lock:data", "0", "-1"],
      value: ["precious"],
    },
  ];

  for (const { what, found, set, get, value } of DATA) {
    it(`is told apart from a lock, and not touched: ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      await using locks = new LockManager(fleet.urls, OPTIONS);
      await allNodes(locks);
      await Promise.all(fleet.nodes.map((node) => node.command(...set)));
      for (const attempt of [
        () => locks.tryAcquire("data"),
        // Waiting changes nothing, so it is not waited.
        () => locks.acquire("data", { waitMs: 8_000 }),
      ]) {
        const error = await rejectionWith(ForeignKeyError, attempt());
        expect(error.message).to.match(found).and.include('"lock:data"');
        expect(error.code).to.equal("QUORATE_FOREIGN_KEY");
      }
      for (const node of fleet.nodes) {
        expect(await node.command(...get)).to.deep.equal(value);
        expect(await node.command("PTTL", "lock:data")).to.equal(-1);
      }
    });

    it(`is not touched by a release or a renewal either: ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      await using locks = new LockManager(fleet.urls, OPTIONS);
      await allNodes(locks);
      const lock = await locks.acquire("data");
      const minority = fleet.nodes.slice(0, 1);
      await Promise.all(
        minority.map(async (node) => {
          await node.command("DEL", "lock:data");
          await node.command(...set);
        }),
      );
      await lock.extend();
      expect(await lock.release()).to.equal("released");
      await sleep(50);
      expect(await at(minority, 0).command(...get)).to.deep.equal(value);
      expect(await lockKeys(fleet.nodes.slice(1))).to.deep.equal([]);
    });
  }
});
