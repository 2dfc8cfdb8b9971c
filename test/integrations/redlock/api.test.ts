import { expect } from "chai";
import { Redis } from "ioredis";
import { RedisFleet } from "../../../src/testing/index.js";
import { at } from "../../support/nodes.js";
import { eventually } from "../../support/settle.js";
import {
  REDLOCKS,
  shownError,
  withClients,
  type RedlockModule,
  type RedlockOf,
} from "../../support/redlocks.js";

interface World {
  readonly module: RedlockModule;
  readonly redlock: RedlockOf;
  /** The one client that the redlock was given. */
  readonly client: Redis;
}

type Lock = InstanceType<RedlockModule["Lock"]>;

interface Behaviour {
  readonly what: string;
  readonly run: (world: World) => Promise<unknown>;
  /** Of both. */
  readonly result: unknown;
}

const NO_QUORUM =
  "ExecutionError: The operation was unable to achieve a quorum during its retry window.";
const ONCE = { retryCount: 0 };

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(() => "no error", shownError);

/** How each attempt went, node by node. One that was granted may have been the second on a machine that stalls. */
async function attemptsOf({ attempts }: Pick<Lock, "attempts">): Promise<unknown> {
  const all = await Promise.all(attempts);
  return all.map(({ membershipSize, quorumSize, votesFor, votesAgainst }) => ({
    of: [quorumSize, membershipSize],
    for: votesFor.size,
    against: [...votesAgainst.values()].map(shownError),
  }));
}

async function lastOf(lock: Pick<Lock, "attempts">): Promise<unknown> {
  return ((await attemptsOf(lock)) as readonly unknown[]).at(-1);
}

const ALL_FOR = { of: [1, 1], for: 1, against: [] };

/** Whether so much is left of what began with that much at `startMs` or later, by `performance.now()`. */
const isLeft = (leftMs: number, ofMs: number, startMs: number): boolean => {
  const passedMs = performance.now() - startMs;
  return leftMs < ofMs + 400 && leftMs > ofMs - passedMs - 400;
};

const BEHAVIOURS: readonly Behaviour[] = [
  {
    what: "acquire resolves to a lock with its resources, its value and its end",
    run: async ({ redlock, client, module }) => {
      const startMs = performance.now();
      const lock = await redlock.acquire(["a"], 5_000);
      const keys = Object.keys(lock).toSorted();
      const isStored = (await client.get("a")) === lock.value;
      const isExpiringAt = isLeft(lock.expiration - Date.now(), 5_000 * 0.99 - 2, startMs);
      const stats = lock.attempts.at(-1);
      const isMine = (await stats)?.votesFor.has(client);
      const isLock = lock instanceof module.Lock && lock.redlock === redlock;
      const { resources } = lock;
      return [keys, resources, isStored, isExpiringAt, isMine, isLock, await lastOf(lock)];
    },
    result: [
      ["attempts", "expiration", "redlock", "resources", "value"],
      ["a"],
      ...[true, true, true, true, ALL_FOR],
    ],
  },
  {
    what: "acquire of what is held fails after retryCount further attempts",
    run: async ({ redlock, client, module }) => {
      await client.set("a", "other", "PX", 60_000);
      const settings = { retryCount: 2, retryDelay: 5, retryJitter: 5 };
      const error = await redlock.acquire(["a"], 5_000, settings).catch((e: unknown) => e);
      if (!(error instanceof module.ExecutionError)) return error;
      return [shownError(error), await attemptsOf(error)];
    },
    result: [
      NO_QUORUM,
      Array.from({ length: 3 }, () => ({
        of: [1, 1],
        for: 0,
        against: [
          "ResourceLockedError: The operation was applied to: 0 of the 1 requested resources.",
        ],
      })),
    ],
  },
  {
    what: "acquire with retryCount -1 waits until the resource is free",
    run: async ({ redlock, client }) => {
      await client.set("a", "other", "PX", 60_000);
      let refusedCount = 0;
      redlock.on("error", () => void (++refusedCount === 4 && client.del("a")));
      const settings = { retryCount: -1, retryDelay: 10, retryJitter: 0 };
      const lock = await redlock.acquire(["a"], 5_000, settings);
      return [lock.attempts.length > 3, (await client.get("a")) === lock.value];
    },
    result: [true, true],
  },
  {
    what: "every vote against is an error event",
    run: async ({ redlock, client, module }) => {
      const errors: unknown[] = [];
      redlock.on("error", (error) => errors.push(error));
      await client.set("a", "other", "PX", 60_000);
      await errorOf(redlock.acquire(["a"], 5_000, ONCE));
      await eventually("it is told", () => errors.length > 0);
      const isLocked = errors[0] instanceof module.ResourceLockedError;
      // Theirs also tells of the release that undoes the attempt.
      return [isLocked, shownError(errors[0])];
    },
    result: [
      true,
      "ResourceLockedError: The operation was applied to: 0 of the 1 requested resources.",
    ],
  },
  {
    what: "error events need no listener",
    run: async ({ redlock }) => redlock.emit("error", new Error("nobody cares")),
    result: true,
  },
  {
    what: "a duration that is no whole number is refused",
    run: async ({ redlock }) => {
      const lock = await redlock.acquire(["a"], 5_000);
      return Promise.all([
        errorOf(redlock.acquire(["b"], 1.5)),
        errorOf(lock.extend(1.5)),
        errorOf(redlock.using(["b"], Number.NaN, async () => {})),
      ]);
    },
    result: Array.from(
      { length: 3 },
      () => "Error: Duration must be an integer value in milliseconds.",
    ),
  },
  {
    what: "no clients are refused",
    run: async ({ module }) => {
      try {
        return new module.default([]);
      } catch (error) {
        return shownError(error);
      }
    },
    result: "Error: Redlock must be instantiated with at least one redis client.",
  },
  {
    what: "extend puts another lock in the place of the first",
    run: async ({ redlock, client, module }) => {
      const lock = await redlock.acquire(["a"], 10_000);
      const startMs = performance.now();
      const extended = await lock.extend(30_000);
      const isSame = extended.value === lock.value && extended !== lock;
      const isLonger = isLeft(await client.pttl("a"), 30_000, startMs);
      const isExpiringAt = isLeft(extended.expiration - Date.now(), 30_000 * 0.99, startMs);
      const again = await lock.extend(10_000).catch((e: unknown) => e);
      const attempts = again instanceof module.ExecutionError ? again.attempts : "no attempts";
      return [isSame, isLonger, isExpiringAt, lock.expiration, shownError(again), attempts];
    },
    result: [
      ...[true, true, true, 0],
      "ExecutionError: Cannot extend an already-expired lock.",
      [],
    ],
  },
  {
    what: "extend of a lock that somebody else has by now fails",
    run: async ({ redlock, client }) => {
      const lock = await redlock.acquire(["a"], 5_000);
      await client.set("a", "other", "PX", 60_000);
      const error = await errorOf(redlock.extend(lock, 5_000, ONCE));
      return [error, await client.get("a")];
    },
    result: [NO_QUORUM, "other"],
  },
  {
    what: "release deletes the key and ends the lock",
    run: async ({ redlock, client }) => {
      const lock = await redlock.acquire(["a"], 5_000);
      const released = await lock.release();
      return [await lastOf(released), lock.expiration, await client.exists("a")];
    },
    result: [ALL_FOR, 0, 0],
  },
  {
    what: "release of a lock that is over fails, and touches nobody else's",
    run: async ({ redlock, client }) => {
      const lock = await redlock.acquire(["a"], 5_000);
      await client.set("a", "other", "PX", 60_000);
      return [await errorOf(redlock.release(lock, ONCE)), await client.get("a")];
    },
    result: [NO_QUORUM, "other"],
  },
  {
    what: "several resources have one value, are extended and released together",
    run: async ({ redlock, client }) => {
      const lock = await redlock.acquire(["b", "a"], 10_000);
      const values = await client.mget("a", "b");
      const isOne = values.every((value) => value === lock.value);
      const startMs = performance.now();
      await lock.extend(30_000);
      const areLonger = (await Promise.all(["a", "b"].map((key) => client.pttl(key)))).map((ms) =>
        isLeft(ms, 30_000, startMs),
      );
      await redlock.release(lock);
      return [isOne, lock.resources, areLonger, await client.exists("a", "b")];
    },
    result: [true, ["b", "a"], [true, true], 0],
  },
  {
    what: "several resources are taken all or none",
    run: async ({ redlock, client }) => {
      await client.set("b", "other", "PX", 60_000);
      const error = await errorOf(redlock.acquire(["a", "b", "c"], 5_000, ONCE));
      await eventually("others are free", async () => (await client.exists("a", "c")) === 0);
      return [error, await client.get("b")];
    },
    result: [NO_QUORUM, "other"],
  },
  {
    what: "an attempt at several resources that fails is in nobody's way meanwhile",
    run: async ({ redlock, client }) => {
      await client.set("b", "other", "PX", 60_000);
      let refusedCount = 0;
      for (let times = 0; times < 30; times++) {
        const attempt = errorOf(redlock.acquire(["a", "b", "c"], 5_000, ONCE));
        for (let tries = 0; tries < 5; tries++) {
          if ((await client.set("a", "mine", "PX", 60_000, "NX")) === null) refusedCount++;
          await client.del("a");
        }
        await attempt;
      }
      return refusedCount;
    },
    result: 0,
  },
  {
    what: "no resources are no obstacle",
    run: async ({ redlock }) => redlock.using([], 5_000, async () => "result"),
    result: "result",
  },
  {
    what: "using passes the routine's result on, and releases",
    run: async ({ redlock, client }) => {
      const seen = await redlock.using(["a"], 5_000, async (signal) => [
        signal.aborted,
        signal.error,
        await client.exists("a"),
      ]);
      return [seen, await client.exists("a")];
    },
    result: [[false, undefined, 1], 0],
  },
  {
    what: "using passes the routine's error on, and releases",
    run: async ({ redlock, client }) => {
      const routine = (): Promise<never> => Promise.reject(new TypeError("its own"));
      return [await errorOf(redlock.using(["a"], 5_000, routine)), await client.exists("a")];
    },
    result: ["TypeError: its own", 0],
  },
  {
    what: "using extends the lock while the routine runs",
    run: async ({ redlock, client }) =>
      // From 200 ms on, with seconds left.
      redlock.using(["a"], 6_000, { automaticExtensionThreshold: 5_800 }, async (signal) => {
        const value = await client.get("a");
        const [leftMs, startMs] = [await client.pttl("a"), performance.now()];
        await eventually("it is extended", async () => {
          const passedMs = performance.now() - startMs;
          return (await client.pttl("a")) > leftMs - passedMs + 500;
        });
        return [value === (await client.get("a")), signal.aborted];
      }),
    result: [true, false],
  },
  {
    what: "using refuses what cannot work",
    run: async ({ redlock }) =>
      Promise.all([
        errorOf(redlock.using(["a"], 5_000, {})),
        errorOf(redlock.using(["a"], 500, async () => {})),
      ]),
    result: [
      "Error: INVARIANT: routine is not a function.",
      "Error: A lock `duration` must be at least 100ms greater than the `automaticExtensionThreshold` setting.",
    ],
  },
  {
    what: "a lock can be made from data: extended and released by another who knows its value",
    run: async ({ redlock, client, module }) => {
      const { resources, value, expiration } = await redlock.acquire(["a"], 10_000);
      const other = new module.default([client]);
      const copy = new module.Lock(other, resources, value, [], expiration);
      const extended = await copy.extend(40_000);
      // Beyond the end of the first: the lock is the other's now.
      const isThere = (await client.get("a")) === value && (await client.pttl("a")) > 10_000;
      await extended.release();
      return [isThere, await client.exists("a")];
    },
    result: [true, 0],
  },
  {
    what: "settings that are no numbers, or unknown, count as not given",
    run: async ({ module, client }) => {
      const settings = { retryCount: undefined, retryDelay: null, retries: 3, driftFactor: 0.02 };
      return { ...new module.default([client], settings as never).settings };
    },
    result: {
      driftFactor: 0.02,
      retryCount: 10,
      retryDelay: 200,
      retryJitter: 100,
      automaticExtensionThreshold: 500,
    },
  },
  {
    what: "clients that are given twice are one",
    run: async ({ module, client }) => {
      const { clients } = new module.default([client, client]);
      return [clients instanceof Set, clients.size, clients.has(client)];
    },
    result: [true, 1, true],
  },
  {
    what: "clients that have given up their server are asked again all the same",
    run: async ({ module }) => {
      const away = new Redis({ port: 1, retryStrategy: (times) => (times > 2 ? null : 5) });
      away.on("error", () => {});
      const redlock = new module.default([away], { retryDelay: 5, retryJitter: 0 });
      const counts = [];
      for (let times = 0; times < 2; times++) {
        const error = await redlock.acquire(["a"], 5_000).catch((e: unknown) => e);
        if (!(error instanceof module.ExecutionError)) return error;
        counts.push(error.attempts.length);
        await eventually("the client has ended", () => away.status === "end");
      }
      return counts;
    },
    result: [11, 11],
  },
  {
    what: "quit closes the clients, and what comes after fails",
    run: async ({ redlock, client }) => {
      await (await redlock.acquire(["a"], 5_000)).release();
      await redlock.quit();
      const error = await errorOf(redlock.acquire(["a"], 5_000, ONCE));
      await eventually("the client has ended", () => client.status === "end");
      return [error, await errorOf(redlock.acquire(["a"], 5_000, ONCE))];
    },
    result: [NO_QUORUM, NO_QUORUM],
  },
];

describe("redlock and quorate/redlock", () => {
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 2 });
  });
  after(() => fleet.stop());

  for (const { what, run, result } of BEHAVIOURS) {
    it(what, async () => {
      // Both at once, each on a server of its own.
      const runs = Object.entries(REDLOCKS).map(async ([name, module], index) => {
        const node = at(fleet.nodes, index);
        await node.command("DEL", "a", "b", "c");
        return withClients([node], async (clients) => {
          const redlock = new module.default(clients);
          return [name, await run({ module, redlock, client: at(clients, 0) })] as const;
        });
      });
      const results = Object.fromEntries(await Promise.all(runs));
      expect(results).to.deep.equal({ redlock: result, quorate: result });
    });
  }

  for (const [name, module] of Object.entries(REDLOCKS)) {
    it(`put the clients' keyPrefix before the resource: ${name}`, async () => {
      const options = { keyPrefix: "app:" };
      await withClients(
        fleet.nodes.slice(0, 1),
        async (clients) => {
          const lock = await new module.default(clients).acquire(["prefixed"], 5_000);
          expect(await at(fleet.nodes, 0).command("GET", "app:prefixed")).to.equal(lock.value);
          await lock.release();
        },
        options,
      );
    });
  }
});
