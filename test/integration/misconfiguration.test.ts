import { expect } from "chai";
import { Redis } from "ioredis";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import type { NodeConfig, LockManagerOptions, QuorateWarning } from "../../src/index.js";
import { RedisFleet, RedisProcess, type RedisProcessOptions } from "../../src/testing/index.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { AlteredServer } from "../support/altered-server.js";
import { addAllSlots, clusterIsUp } from "../support/cluster.js";
import { allNodes, at, nodeState, noLockKeys } from "../support/nodes.js";
import { startCli } from "../support/cli.js";
import { AsyncDisposableStackOf } from "../support/owned.js";
import { PATIENT } from "../support/patient.js";
import { startSentinel } from "../support/sentinel.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { StampFolder } from "../support/watched-command.js";

interface Case {
  readonly what: string;
  /** Index of the node that is set up wrongly, and what is said about it. */
  readonly index: number;
  readonly message: RegExp;
  readonly options?: LockManagerOptions;
  readonly setUp: (fleet: RedisFleet, extra: Extra) => Promise<readonly NodeConfig[]>;
}

/** Servers beside those of the fleet, which live as long. */
class Extra extends AsyncDisposableStackOf {
  async start(options: RedisProcessOptions): Promise<RedisProcess> {
    return this.own(await RedisProcess.start(options));
  }
}

const CASES: readonly Case[] = [
  {
    what: "a server that is given twice, by two names",
    index: 2,
    message: /the same server as `nodes\[\d\]`; list each server once/,
    setUp: async ({ urls }) => [...urls.slice(0, 2), at(urls, 1).replace("127.0.0.1", "localhost")],
  },
  {
    what: "a replica",
    index: 2,
    message: /not a master/,
    setUp: async ({ nodes, urls }) => {
      await at(nodes, 2).command("REPLICAOF", "127.0.0.1", at(nodes, 1).port);
      return urls;
    },
  },
  {
    what: "a password that is wrong",
    index: 0,
    message: /WRONGPASS|password/i,
    setUp: async ({ nodes, urls }) => {
      await at(nodes, 0).command("CONFIG", "SET", "requirepass", "secret");
      return [at(urls, 0).replace("redis://", "redis://:wrong@"), ...urls.slice(1)];
    },
  },
  {
    what: "a password that is missing",
    index: 1,
    message: /NOAUTH|Authentication/i,
    setUp: async ({ nodes, urls }) => {
      await at(nodes, 1).command("CONFIG", "SET", "requirepass", "secret");
      return urls;
    },
  },
  {
    what: "a user without permissions",
    index: 1,
    message: /NOPERM|permission/i,
    setUp: async ({ nodes, urls }) => {
      await at(nodes, 1).command("ACL", "SETUSER", "nobody", "ON", ">secret", "+ping");
      return [at(urls, 0), at(urls, 1).replace("redis://", "redis://nobody:secret@"), at(urls, 2)];
    },
  },
  ...["EVAL", "INFO", "CLIENT", "TIME", "HMGET"].map((command) => ({
    what: `a server without ${command}`,
    index: 0,
    message: new RegExp(`(?:does not have|may not run) ${command}`),
    setUp: async ({ urls }: RedisFleet, extra: Extra): Promise<readonly string[]> => {
      const { url } = await extra.start({ extraArgs: ["--rename-command", command, ""] });
      return [url, ...urls.slice(1)];
    },
  })),
  {
    what: "a database that the server does not have",
    index: 1,
    message: /DB index is out of range/,
    setUp: async ({ urls }) => [at(urls, 0), `${at(urls, 1)}/99`, at(urls, 2)],
  },
  {
    what: "a member of a Cluster that has all permits",
    index: 2,
    message: /member of a Redis Cluster; .*new Cluster/,
    setUp: async ({ urls }, extra) => {
      const member = await extra.start({ cluster: true });
      await addAllSlots(member);
      await clusterIsUp(member);
      return [...urls.slice(0, 2), member.url];
    },
  },
  {
    what: "a member of a Cluster that has no permit",
    index: 2,
    message: /member of a Redis Cluster; .*new Cluster/,
    setUp: async ({ urls }, extra) => [
      ...urls.slice(0, 2),
      (await extra.start({ cluster: true })).url,
    ],
  },
  {
    what: "a proxy that spreads keys over slots, and does not say so",
    index: 2,
    message: /member of a Redis Cluster; .*or use a server without hash slots/,
    setUp: async ({ urls }, extra) => {
      const member = await extra.start({ cluster: true });
      await addAllSlots(member);
      await clusterIsUp(member);
      return [...urls.slice(0, 2), extra.own(await AlteredServer.start(member.port, "slots")).url];
    },
  },
  {
    what: "the port of a Sentinel",
    index: 0,
    message: /this is a Sentinel; .*sentinels/,
    setUp: async ({ nodes, urls }, extra) => {
      const { port } = extra.own(await startSentinel("primary", at(nodes, 0).port));
      return [`redis://127.0.0.1:${port}`, ...urls.slice(1)];
    },
  },
  {
    what: "a master that its Sentinel does not know",
    index: 0,
    message: /no Sentinel named a master: .*check `name`/,
    setUp: async ({ nodes, urls }, extra) => {
      const { port } = extra.own(await startSentinel("primary", at(nodes, 0).port));
      const sentinels = [{ host: "127.0.0.1", port }];
      return [{ options: { sentinels, name: "primry" } }, ...urls.slice(1)];
    },
  },
  ...(
    [
      ["noInfo", /no script sees a run_id in INFO/],
      ["noRunId", /no script sees a run_id in INFO: restarts go unseen; .*acceptNoRunId: true/],
      ["noUndeclaredKeys", /a script may not use keys that it was not called with/],
    ] as const
  ).map(([alteration, message]) => ({
    what: `a service that is not quite Redis: ${alteration}`,
    index: 2,
    message,
    setUp: async ({ nodes, urls }: RedisFleet, extra: Extra): Promise<readonly string[]> => {
      const { url } = extra.own(await AlteredServer.start(at(nodes, 2).port, alteration));
      return [...urls.slice(0, 2), url];
    },
  })),
  ...(
    [
      ["a later version", "version", "99", /version 99 of the protocol .*version 2; upgrade/],
      ["another program", "state", "full", /no version of quorate wrote .*state is "full"/],
    ] as const
  ).map(([by, field, text, message]) => ({
    what: `a record by ${by}`,
    index: 1,
    message,
    setUp: async ({ nodes, urls }: RedisFleet): Promise<readonly string[]> => {
      {
        await using earlier = new LockManager(urls);
        await allNodes(earlier);
      }
      await at(nodes, 1).command("HSET", RECORD_KEY, field, text);
      return urls;
    },
  })),
  ...["allkeys-lru", "volatile-ttl", "volatile-lru"].map((policy) => ({
    what: `maxmemory with the policy ${policy}`,
    index: 1,
    message: new RegExp(`${policy}.*noeviction`),
    setUp: async ({ nodes, urls }: RedisFleet): Promise<readonly string[]> => {
      await at(nodes, 1).command("CONFIG", "SET", "maxmemory", "100mb");
      await at(nodes, 1).command("CONFIG", "SET", "maxmemory-policy", policy);
      return urls;
    },
  })),
];

describe("A node that is set up wrongly", () => {
  for (const { what, index, message, setUp } of CASES) {
    it(`is found at the start and named: ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      await using extra = new Extra();
      const nodes = await setUp(fleet, extra);
      await using locks = new LockManager(nodes, PATIENT);
      const warnings: QuorateWarning[] = [];
      locks.on("warning", (warning) => warnings.push(warning));

      const error = await rejectionWith(MisconfiguredError, locks.ready({ all: true }));
      expect(error.code).to.equal("QUORATE_MISCONFIGURED");
      // Of a server that is there twice, either may be the one too many.
      const broken = error.nodes.findIndex(({ state }) => state === "misconfigured");
      if (!what.includes("twice")) expect(broken).to.equal(index);
      expect(at(error.nodes, broken).detail).to.match(message);
      const { node, detail } = at(error.nodes, broken);
      expect(error.message).to.include(`${node}: ${detail.split(". ")[0]}`.slice(0, 120));

      expect(at(warnings, 0).code).to.equal("QUORATE_MISCONFIGURED_NODE");
      expect(at(warnings, 0).message).to.match(message);
      expect(at(locks.nodes, broken).state).to.equal("misconfigured");
      expect(at(locks.nodes, broken).detail).to.match(message);
    });
  }

  it("that is listed twice is an error of `ready` for a quorum, too", async () => {
    await using fleet = await RedisFleet.start({ nodes: 2 });
    const [first, second] = [at(fleet.urls, 0), at(fleet.urls, 1)];
    // As localhost is another name, the list looks right. As it is new, none votes before all have been seen.
    const twin = first.replace("127.0.0.1", "localhost");
    await using locks = new LockManager([first, second, twin], PATIENT);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.ready());
    expect(error.message).to.match(/the same server as `nodes\[\d\]`/);
  });

  it("is no reason for `ready` to reject where a quorum votes, whichever is seen first", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    {
      await using earlier = new LockManager(fleet.urls);
      await allNodes(earlier);
    }
    await at(fleet.nodes, 0).command("CONFIG", "SET", "repl-diskless-sync-delay", 0);
    await at(fleet.nodes, 2).command("REPLICAOF", "127.0.0.1", at(fleet.nodes, 0).port);
    for (let round = 0; round < 20; round++) {
      await using locks = new LockManager(fleet.urls, PATIENT);
      const warnings: QuorateWarning[] = [];
      locks.on("warning", (warning) => warnings.push(warning));
      await locks.ready();
      await nodeState(locks, 2, "misconfigured");
      const [warning] = warnings;
      expect(warning?.code).to.equal("QUORATE_MISCONFIGURED_NODE");
      expect(warning?.message)
        .to.include(`127.0.0.1:${at(fleet.nodes, 2).port}`)
        .and.include("give its master");
    }
  });

  it("is told by `quorate exec`, even with --quiet, while its command runs", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    {
      await using earlier = new LockManager(fleet.urls);
      await allNodes(earlier);
    }
    const broken = at(fleet.nodes, 1);
    await broken.command("CONFIG", "SET", "maxmemory", "100mb");
    await broken.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    using stamps = new StampFolder();
    const script = `while [ ! -e ${stamps.file("told")} ]; do sleep 0.02; done`;
    const nodes = fleet.urls.join(",");
    const { child, result } = startCli(["exec", "-q", "-N", nodes, "job", "-c", script]);
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => (told += chunk.toString()));
    await eventually("the warning", () => told.includes("\n"));
    stamps.write("told", "");
    const { code, stderr } = await result;
    expect(code).to.equal(0);
    expect(stderr).to.match(
      new RegExp(
        `^quorate: warning: 127\\.0\\.0\\.1:${broken.port} does not vote: .*use noeviction\n$`,
      ),
    );
  });

  it("does not vote, and is no reason not to lock on the others", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    // Known to be an old deployment: a new one takes all of its nodes.
    {
      await using earlier = new LockManager(fleet.urls);
      await allNodes(earlier);
    }
    await at(fleet.nodes, 0).command("CONFIG", "SET", "requirepass", "secret");
    await using locks = new LockManager(fleet.urls, PATIENT);
    locks.on("warning", () => {});
    await nodeState(locks, 0, "misconfigured");
    const lock = await locks.acquire("name");
    expect(await lock.release()).to.equal("released");
    await noLockKeys(fleet.nodes.slice(1));
  });

  it("is an error of acquire at once, where so many are that no quorum is left", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, server: { requirepass: "secret" } });
    const urls = fleet.urls.map((url) => url.replace("redis://", "redis://:wrong@"));
    await using locks = new LockManager(urls);
    locks.on("warning", () => {});
    await allNodes(locks, "misconfigured");
    const startedMs = performance.now();
    const error = await rejectionWith(MisconfiguredError, locks.acquire("name"));
    expect(error.lockName).to.equal("name");
    // It is said as soon as it is certain, which two of three are enough for.
    const named = error.votes.filter(({ fault }) => fault === "misconfigured");
    expect(error.message)
      .to.include(`${at(named, 0).node}: `)
      .and.match(/; and \d more\)/);
    expect(named).to.have.length.above(1);
    // It does not wait for 30 s for what waiting does not change.
    expect(performance.now() - startedMs).to.be.below(10_000);
  });

  it("votes once it is set right, without a new start", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    await node.command("CONFIG", "SET", "maxmemory", "100mb");
    await node.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    await using locks = new LockManager(fleet.urls, PATIENT);
    locks.on("warning", () => {});
    await nodeState(locks, 0, "misconfigured");
    await node.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    await nodeState(locks, 0, "ready");
    const lock = await locks.acquire("name");
    expect(await lock.release()).to.equal("released");
  });

  it("is used all the same, if eviction is allowed", async () => {
    await using fleet = await RedisFleet.start({
      nodes: 3,
      server: { extraArgs: ["--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"] },
    });
    await using locks = new LockManager(fleet.urls, { ...PATIENT, allowEviction: true });
    await locks.ready();
    const lock = await locks.acquire("name");
    expect(await lock.release()).to.equal("released");
  });

  it("is not one with an evicting policy that never comes to act, without maxmemory", async () => {
    await using fleet = await RedisFleet.start({
      nodes: 1,
      server: { extraArgs: ["--maxmemory-policy", "allkeys-lru"] },
    });
    await using locks = new LockManager(fleet.urls);
    await locks.ready();
  });

  it("is noticed when a master becomes a replica under way", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls);
    locks.on("warning", () => {});
    await allNodes(locks);
    const replica = at(fleet.nodes, 2);
    await at(fleet.nodes, 1).command("CONFIG", "SET", "repl-diskless-sync-delay", 0);
    await replica.command("REPLICAOF", "127.0.0.1", at(fleet.nodes, 1).port);
    await eventually("it does not vote any more", async () => {
      const lock = await locks.acquire("name");
      await lock.release();
      return at(locks.nodes, 2).state === "misconfigured";
    });
  });
});

describe("An even number of nodes", () => {
  it("is warned of, by an event that a listener added at once does get", async () => {
    await using locks = new LockManager(["redis://127.0.0.1:1", "redis://127.0.0.1:2"]);
    const warnings: QuorateWarning[] = [];
    locks.on("warning", (warning) => warnings.push(warning));
    await eventually("the warning", () =>
      warnings.some(({ code }) => code === "QUORATE_EVEN_NODE_COUNT"),
    );
  });

  it("is warned of by the process, if nobody listens", async () => {
    const warned = new Promise<Error>((resolve) => {
      const onWarning = (warning: Error & { code?: string }): void => {
        if (warning.code !== "QUORATE_EVEN_NODE_COUNT") return;
        process.off("warning", onWarning);
        resolve(warning);
      };
      process.on("warning", onWarning);
    });
    await using locks = new LockManager(["redis://127.0.0.1:1", "redis://127.0.0.1:2"]);
    expect(locks.nodes).to.have.length(2);
    const warning = await warned;
    expect(warning.message).to.match(/2 nodes tolerate no more failures than 1/);
    // Where its reader finds what to do, who does not know whose docs these are.
    expect(warning).to.have.property(
      "detail",
      "see docs/operate/troubleshooting.md#quorate_even_node_count in the package quorate",
    );
  });
});

describe("Credentials", () => {
  it("are taken from URLs, options and clients", async () => {
    await using server = await RedisProcess.start({ requirepass: "secret" });
    const { port } = server;
    const client = new Redis({ port, password: "secret", lazyConnect: true });
    const configs: readonly NodeConfig[] = [
      `redis://:secret@127.0.0.1:${port}`,
      { url: `redis://127.0.0.1:${port}`, options: { password: "secret" } },
      { options: { port, password: "secret" } },
      client,
    ];
    for (const config of configs) {
      await using locks = new LockManager([config], PATIENT);
      await locks.ready();
      const lock = await locks.acquire("name");
      expect(await lock.release()).to.equal("released");
      // A password is nothing for logs.
      expect(JSON.stringify(locks.nodes)).not.to.include("secret");
    }
    client.disconnect();
  });
});
