import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Redis } from "ioredis";
import { RedisFleet } from "../../../src/testing/index.js";
import type { FleetNode } from "../../../src/testing/index.js";
import { root } from "../../docs/project.js";
import { at } from "../../support/nodes.js";
import { eventually } from "../../support/settle.js";
import {
  outcomeOf,
  REDLOCKS,
  shownError,
  withClients,
  type RedlockModule,
  type RedlockOf,
} from "../../support/redlocks.js";

interface World {
  readonly module: RedlockModule;
  readonly redlock: RedlockOf;
  readonly clients: readonly Redis[];
  readonly nodes: readonly FleetNode[];
  readonly isOurs: boolean;
}

interface Difference {
  readonly what: string;
  readonly nodes: number;
  readonly run: (world: World) => Promise<unknown>;
  readonly theirs: unknown;
  readonly ours: unknown;
}

const NO_QUORUM =
  "ExecutionError: The operation was unable to achieve a quorum during its retry window.";
const ONCE = { retryCount: 0 };
/** What has nothing to settle it does not, however long it is waited for. What has may take this long. */
const LIMIT_MS = 800;
const SETTLED_MS = 20_000;
const NOTHING = "nothing";

/** What a promise comes to, or that it does not: that of the one whose outcome is `NOTHING` is not waited for as long. */
async function outcomeFrom({ isOurs }: World, promise: Promise<unknown>): Promise<unknown> {
  const limitMs = isOurs ? SETTLED_MS : LIMIT_MS;
  const outcome = await outcomeOf(promise, limitMs);
  return outcome === `nothing in ${limitMs} ms` ? NOTHING : outcome;
}

/** So that the connections of both are there before anything happens to the nodes. */
async function warmUp({ redlock }: World): Promise<void> {
  await (await redlock.acquire(["warm-up"], 5_000)).release();
}

const pauseSome = async (nodes: readonly FleetNode[], count: number): Promise<void> => {
  await Promise.all(nodes.slice(0, count).map((node) => node.pause()));
};

const DIFFERENCES: readonly Difference[] = [
  {
    what: "an even split of votes settles",
    nodes: 2,
    run: async (world) => {
      await at(world.nodes, 0).command("SET", "a", "other", "PX", 60_000);
      return outcomeFrom(world, world.redlock.acquire(["a"], 800, ONCE));
    },
    theirs: NOTHING,
    ours: NO_QUORUM,
  },
  {
    what: "an acquire from a frozen majority settles",
    nodes: 3,
    run: async (world) => {
      await warmUp(world);
      await pauseSome(world.nodes, 2);
      return outcomeFrom(world, world.redlock.acquire(["a"], 800, ONCE));
    },
    theirs: NOTHING,
    ours: NO_QUORUM,
  },
  {
    what: "a release to a frozen majority settles, and is delivered when the nodes resume",
    nodes: 3,
    run: async (world) => {
      const lock = await world.redlock.acquire(["a"], 60_000);
      await pauseSome(world.nodes, 2);
      const outcome = await outcomeFrom(world, world.redlock.release(lock, ONCE));
      await Promise.all(world.nodes.map((node) => node.resume()));
      await eventually(
        "the keys are gone",
        async () => (await at(world.nodes, 0).command("EXISTS", "a")) === 0,
      );
      return outcome;
    },
    theirs: NOTHING,
    ours: NO_QUORUM,
  },
  {
    what: "the stats of an attempt resolve while a node is frozen",
    nodes: 3,
    run: async (world) => {
      await warmUp(world);
      await pauseSome(world.nodes, 1);
      const lock = await world.redlock.acquire(["a"], 20_000);
      const stats = at(lock.attempts, lock.attempts.length - 1).then(
        ({ votesFor, votesAgainst }) => [votesFor.size, votesAgainst.size],
      );
      return outcomeFrom(world, stats);
    },
    theirs: NOTHING,
    ours: [2, 1],
  },
  {
    what: "a grant that arrives after the lock has expired is rejected",
    nodes: 1,
    run: async (world) => {
      await warmUp(world);
      const [node] = world.nodes;
      await node?.pause();
      const late = world.redlock
        .acquire(["a"], 300, ONCE)
        .then(
          ({ expiration }) => (expiration < Date.now() ? "granted, and over" : "granted"),
          shownError,
        );
      await sleep(500);
      await node?.resume();
      return late;
    },
    theirs: "granted, and over",
    ours: NO_QUORUM,
  },
  {
    what: "the signal of using aborts when the lock expires, whatever the nodes do",
    nodes: 1,
    run: async (world) => {
      await warmUp(world);
      const settings = { automaticExtensionThreshold: 2_300 };
      const told = new Promise<unknown>((resolve) => {
        const routine = async (signal: AbortSignal & { error?: Error }): Promise<void> => {
          await at(world.nodes, 0).pause();
          await sleep(2_650);
          resolve([signal.aborted, signal.error === undefined ? "no error" : "error"]);
        };
        world.redlock.using(["a"], 2_500, settings, routine).catch(() => {});
      });
      return told;
    },
    theirs: [false, "no error"],
    ours: [true, "error"],
  },
  {
    what: "the signal of using is up to date after the event loop was blocked",
    nodes: 1,
    run: async (world) => {
      await warmUp(world);
      const settings = { automaticExtensionThreshold: 100 };
      let wasAborted: boolean | undefined;
      const routine = async (signal: AbortSignal): Promise<void> => {
        const untilMs = performance.now() + 600;
        while (performance.now() < untilMs);
        wasAborted = signal.aborted;
      };
      await world.redlock.using(["a"], 500, settings, routine).catch(() => {});
      return wasAborted;
    },
    theirs: false,
    ours: true,
  },
  {
    what: "using learns of a loss immediately, not when the lock expires",
    nodes: 1,
    run: async ({ redlock, clients, isOurs }) => {
      // It is extended after 200 ms.
      const durationMs = isOurs ? 20_000 : 3_000;
      const settings = { automaticExtensionThreshold: durationMs - 200, ...ONCE };
      const routine = async (signal: AbortSignal): Promise<boolean> => {
        await at(clients, 0).set("a", "other", "PX", 60_000);
        if (isOurs) await eventually("it is told", () => signal.aborted, 10_000);
        else await sleep(400);
        return signal.aborted;
      };
      let wasAborted: boolean | undefined;
      const outcome = await outcomeOf(
        redlock.using(["a"], durationMs, settings, async (signal) => {
          wasAborted = await routine(signal);
        }),
        SETTLED_MS,
      );
      return [wasAborted, outcome];
    },
    theirs: [false, NO_QUORUM],
    ours: [true, NO_QUORUM],
  },
  {
    what: "the routine's own error is not hidden by the loss of its lock",
    nodes: 1,
    run: async ({ redlock, clients }) => {
      const routine = async (): Promise<never> => {
        await at(clients, 0).del("a");
        throw new TypeError("its own");
      };
      return outcomeOf(redlock.using(["a"], 5_000, ONCE, routine), SETTLED_MS);
    },
    theirs: NO_QUORUM,
    ours: "TypeError: its own",
  },
  {
    what: "the routine's result is not hidden by nodes that do not answer its release",
    nodes: 1,
    run: async (world) => {
      await warmUp(world);
      const routine = async (): Promise<string> => {
        await at(world.nodes, 0).pause();
        return "result";
      };
      return outcomeFrom(world, world.redlock.using(["a"], 20_000, ONCE, routine));
    },
    theirs: NOTHING,
    ours: "result",
  },
  {
    what: "the extension of a lost lock is not retried",
    nodes: 1,
    run: async ({ redlock, clients }) => {
      const lock = await redlock.acquire(["a"], 5_000);
      await at(clients, 0).del("a");
      const settings = { retryCount: 3, retryDelay: 5, retryJitter: 0 };
      const counts = [];
      for (const run of [
        () => redlock.extend(lock, 5_000, settings),
        () => redlock.release(lock, settings),
      ]) {
        const error = (await run().catch((e: unknown) => e)) as { attempts: unknown[] };
        counts.push(error.attempts.length);
      }
      return counts;
    },
    theirs: [4, 4],
    ours: [1, 1],
  },
  {
    what: "an extension restores a lock key that one node lost",
    nodes: 3,
    run: async ({ redlock, clients, nodes, isOurs }) => {
      let lock = await redlock.acquire(["a"], 20_000);
      const isBack = async (): Promise<boolean> => (await at(clients, 0).exists("a")) === 1;
      await eventually("it has its key", isBack);
      const results: boolean[] = [];
      const limitMs = isOurs ? SETTLED_MS : LIMIT_MS;
      for (const isLast of [false, true]) {
        await at(clients, 0).del("a");
        if (isLast) await at(nodes, 0).pause();
        lock = await lock.extend(20_000);
        if (isLast) await at(nodes, 0).resume();
        const result = eventually("the key is back", isBack, limitMs).then(() => true);
        results.push(await result.catch(() => false));
      }
      return results;
    },
    theirs: [false, false],
    ours: [true, true],
  },
  {
    what: "an extension never shortens the keys",
    nodes: 1,
    run: async ({ redlock, clients }) => {
      const lock = await redlock.acquire(["a"], 60_000);
      await lock.extend(10_000);
      return (await at(clients, 0).pttl("a")) > 10_000;
    },
    theirs: false,
    ours: true,
  },
  {
    what: "a resource that is listed twice can be released",
    nodes: 1,
    run: async ({ redlock }) => {
      const lock = await redlock.acquire(["a", "a"], 5_000);
      return outcomeOf(
        redlock.release(lock, ONCE).then(() => "released"),
        SETTLED_MS,
      );
    },
    theirs: NO_QUORUM,
    ours: "released",
  },
  {
    what: "an invalid duration is refused immediately",
    nodes: 1,
    run: async ({ redlock }) => outcomeOf(redlock.acquire(["a"], 0, ONCE), SETTLED_MS),
    theirs: NO_QUORUM,
    ours: "RangeError: `duration` must be from 1 to 2^53 - 1, got 0",
  },
  {
    what: "a resource may not use a key that Quorate reserves",
    nodes: 1,
    run: async ({ redlock }) =>
      outcomeOf(
        redlock.acquire(["quorate:incarnation"], 5_000).then(() => "granted"),
        SETTLED_MS,
      ),
    theirs: "granted",
    ours: 'RangeError: `resources[0]` makes a key in the reserved "quorate:": "quorate:incarnation"',
  },
  {
    what: "a single resource must be an array, too",
    nodes: 1,
    run: async ({ redlock, clients }) => {
      const outcome = await outcomeOf(
        redlock.acquire("ab" as never, 60_000).then(() => "granted"),
        SETTLED_MS,
      );
      return [outcome, (await at(clients, 0).keys("*")).toSorted()];
    },
    theirs: ["granted", ["a", "b"]],
    ours: ['TypeError: `resources` must be a list of names, got "ab": pass ["ab"]', []],
  },
  {
    what: "a failed acquire is rolled back on all responding nodes before it rejects",
    nodes: 3,
    run: async ({ module, nodes, isOurs }) => {
      const links = await Promise.all(nodes.map((node) => node.linkFor("one")));
      return withClients(links, async (clients) => {
        const redlock = new module.default(clients, ONCE);
        await (await redlock.acquire(["warm-up"], 5_000, { retryCount: 10 })).release();
        await Promise.all(
          nodes.slice(0, 2).map((node) => node.command("SET", "a", "other", "PX", 60_000)),
        );
        at(links, 2).hold();
        const failing = redlock.acquire(["a"], 10_000).catch(shownError);
        // The deadline of a node is a second.
        const before = await outcomeOf(failing, isOurs ? 500 : SETTLED_MS);
        await at(links, 2).heal();
        const after = await failing;
        await eventually(
          "nothing is left",
          async () => (await at(nodes, 2).command("EXISTS", "a")) === 0,
        );
        return [before, after];
      });
    },
    theirs: [NO_QUORUM, NO_QUORUM],
    ours: ["nothing in 500 ms", NO_QUORUM],
  },
  {
    what: "the vote of a node that cannot be reached says which node, and why",
    nodes: 3,
    run: async ({ module, nodes }) =>
      withClients(
        nodes,
        async (clients) => {
          const redlock = new module.default(clients, { retryDelay: 5 });
          await (await redlock.acquire(["warm-up"], 5_000)).release();
          await at(nodes, 0).kill();
          const lock = await redlock.acquire(["a"], 20_000);
          const { votesAgainst } = await at(lock.attempts, lock.attempts.length - 1);
          const [url] = at(nodes, 0).url.match(/[^/]+$/) ?? [];
          return [...votesAgainst.values()].map((vote) =>
            // Of a connection that breaks (it is reset if the server has not read all of it), or of the next attempt at
            // one, which may still reach a socket of the server.
            shownError(vote)
              .replaceAll(String(url), "HOST:PORT")
              .replace(
                /: (connect ECONNREFUSED HOST:PORT|read ECONNRESET|the connection was closed|the server closed .*)$/,
                ": why",
              ),
          );
        },
        { maxRetriesPerRequest: 0 },
      ),
    theirs: [
      'MaxRetriesPerRequestError: Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
    ],
    ours: ["Error: HOST:PORT: why"],
  },
  {
    what: "custom scripts are refused",
    nodes: 1,
    run: async ({ module, clients }) => {
      try {
        const scripts = { acquireScript: (script: string) => `-- mine\n${script}` };
        return new module.default(clients, {}, scripts).scripts.acquireScript.value.slice(0, 7);
      } catch (error) {
        return shownError(error).split(",")[0];
      }
    },
    theirs: "-- mine",
    ours: "TypeError: `scripts.acquireScript` is not supported",
  },
];

describe("quorate/redlock differs from redlock on purpose", () => {
  it("and docs/how-to/migrating-from-redlock.md has all of it", () => {
    const page = readFileSync(join(root, "docs", "how-to", "migrating-from-redlock.md"), "utf8");
    const lines = [...page.matchAll(/^\| ([^|]+) \|/gm)].map(([, title]) => title);
    expect(lines).to.include.members(DIFFERENCES.map(({ what }) => what));
  });

  for (const difference of DIFFERENCES) {
    it(difference.what, async () => {
      const { theirs, ours } = difference;
      expect(await resultsOf(difference)).to.deep.equal({ redlock: theirs, quorate: ours });
    });
  }
});

/** By the name of the library; each has servers of its own. */
async function resultsOf({ nodes, run }: Difference): Promise<Record<string, unknown>> {
  const both = Object.entries(REDLOCKS).map(async ([name, module]) => {
    await using fleet = await RedisFleet.start({ nodes });
    return await withClients(fleet.nodes, async (clients) => {
      const redlock = new module.default(clients, { retryDelay: 5, retryJitter: 0 });
      const isOurs = name === "quorate";
      const result = await run({ module, redlock, clients, nodes: fleet.nodes, isOurs });
      // What hangs does so until its client is closed.
      await Promise.all(
        fleet.nodes.filter(({ isRunning }) => isRunning).map((node) => node.resume()),
      );
      return [name, result] as const;
    });
  });
  return Object.fromEntries(await Promise.all(both));
}
