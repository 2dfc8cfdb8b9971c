import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cluster, Redis, type RedisOptions } from "ioredis";
import { Cluster as Cluster5, Redis as Redis5 } from "ioredis-5";
import { Cluster as ValkeyCluster, Redis as Valkey } from "iovalkey";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import { RedisFleet, type RedisProcess } from "../../src/testing/index.js";
import { allNodes, at, nodeState, noLockKeys, valueOf, nodeHolds } from "../support/nodes.js";
import { clusterIsUp, startCluster } from "../support/cluster.js";
import { eventually, rejectionWith, renewed } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const OPTIONS = { nodeTimeoutMs: 4_000 };

/** Makes clients of each package, as if they were all of one type: they are, as far as tests go. */
const PACKAGES = [
  {
    what: "ioredis 6",
    make: (options: RedisOptions) => new Redis({ ...options, replyMapping: "legacy" }),
  },
  { what: "ioredis 5", make: (options: RedisOptions) => new Redis5(options as object) as never },
  { what: "iovalkey", make: (options: RedisOptions) => new Valkey(options as object) as never },
] as readonly { what: string; make: (options: RedisOptions) => Redis }[];

for (const { what, make } of PACKAGES)
  describe(`Clients of ${what} as nodes`, () => {
    let fleet: RedisFleet;
    let clients: Redis[];

    beforeEach(async () => {
      fleet = await RedisFleet.start({ nodes: 3 });
      clients = fleet.nodes.map(({ port }) => make({ host: "127.0.0.1", port }));
      await Promise.all(clients.map((client) => client.ping()));
    });

    afterEach(async () => {
      for (const client of clients) client.disconnect();
      await fleet.stop();
    });

    it("are neither used nor closed", async () => {
      const sent = clients.map((client) => {
        const names: string[] = [];
        const send = client.sendCommand.bind(client);
        client.sendCommand = (command, stream) => {
          names.push(command.name);
          return send(command, stream);
        };
        return names;
      });
      const locks = new LockManager(clients, OPTIONS);
      const lock = await locks.acquire("name");
      await lock.extend();
      await lock.release();
      await locks.close();
      expect(sent).to.deep.equal([[], [], []]);
      for (const client of clients) {
        expect(client.status).to.equal("ready");
        expect(await client.ping()).to.equal("PONG");
      }
    });

    it("may be blocked by commands of their own", async () => {
      await using locks = new LockManager(clients, { ttlMs: 6_000, nodeTimeoutMs: 2_500 });
      const blocked = Promise.all(clients.map((client) => client.blpop("list", 20)));
      await allNodes(locks);
      const lock = await locks.acquire("name");
      await renewed(lock);
      expect(await lock.release()).to.equal("released");
      await Promise.all(fleet.nodes.map((node) => node.command("RPUSH", "list", "value")));
      expect(await blocked).to.have.length(3);
    });

    it("may be set up in ways that a lock must not be", async () => {
      const odd = fleet.nodes.map(({ port }) =>
        make({
          port,
          lazyConnect: true,
          enableOfflineQueue: true,
          enableAutoPipelining: true,
          maxRetriesPerRequest: null,
          commandTimeout: 1,
          stringNumbers: true,
          retryStrategy: () => 600_000,
        }),
      );
      await using locks = new LockManager(odd, { ...OPTIONS, quarantine: "off" });
      await allNodes(locks);
      const lock = await locks.acquire("name");
      expect(lock.fencingToken).to.be.a("number");
      expect(await lock.release()).to.equal("released");
      // Its retry strategy would leave the node alone for ten minutes.
      await at(fleet.nodes, 0).kill();
      await nodeState(locks, 0, "down");
      await at(fleet.nodes, 0).restart();
      await nodeState(locks, 0, "ready");
      for (const client of odd) expect(client.status).to.equal("wait");
    });

    it("must have no key prefix of their own: they would exclude nobody", () => {
      const prefixed = fleet.nodes.map(({ port }) =>
        make({ port, lazyConnect: true, keyPrefix: "app:" }),
      );
      // Closed at once if it does come about, so that it does not keep the test run from ending.
      const open = (): unknown => new LockManager(prefixed).close();
      expect(open).to.throw(TypeError, /nodes\[0\].*keyPrefix.*"app:"/);
    });

    it("stand beside URLs and options", async () => {
      const mixed = [
        at(clients, 0),
        at(fleet.urls, 1),
        { options: { host: "127.0.0.1", port: at(fleet.nodes, 2).port } },
      ];
      await using locks = new LockManager(mixed, OPTIONS);
      await using byUrl = new LockManager(fleet.urls, OPTIONS);
      await allNodes(locks);
      const lock = await locks.acquire("name");
      expect(await byUrl.tryAcquire("name")).to.equal(null);
      await eventually("all nodes hold it", async () => {
        const values = await Promise.all(fleet.nodes.map((node) => valueOf(node, "lock:name")));
        return values.every((value) => value === ownerIdOf(lock));
      });
      expect(locks.nodes.map(({ node }) => node.split(":")[1])).to.deep.equal(
        fleet.nodes.map(({ port }) => String(port)),
      );
      expect(await lock.release()).to.equal("released");
    });

    it("name a database, which is where the locks are", async () => {
      await using locks = new LockManager(
        fleet.urls.map((url) => `${url}/3`),
        OPTIONS,
      );
      await using elsewhere = new LockManager(fleet.urls, OPTIONS);
      const lock = await locks.acquire("name");
      const other = await elsewhere.acquire("name");
      expect([lock.isHeld, other.isHeld]).to.deep.equal([true, true]);
      expect(await at(clients, 0).call("SELECT", "3")).to.equal("OK");
      await eventually(
        "the client sees it",
        async () => (await at(clients, 0).get("lock:name")) === ownerIdOf(lock),
      );
      await other.release();
      await lock.release();
    });
  });

describe("A Cluster as one node", () => {
  let server: RedisProcess;
  let cluster: Cluster;

  before(async () => {
    server = await startCluster();
    cluster = new Cluster([{ host: "127.0.0.1", port: server.port }]);
    await cluster.ping();
  });

  after(async () => {
    cluster.disconnect();
    await server.stop();
  });

  afterEach(() => noLockKeys([server]));

  it("is locked on like any other", async () => {
    await using locks = new LockManager([cluster], { ttlMs: 6_000, nodeTimeoutMs: 2_500 });
    await using other = new LockManager([cluster], { ttlMs: 6_000, nodeTimeoutMs: 2_500 });
    await locks.ready();
    const lock = await locks.acquire("name");
    await nodeHolds(server, "lock:name", ownerIdOf(lock));
    expect(await other.tryAcquire("name")).to.equal(null);
    await renewed(lock);
    expect(await lock.release()).to.equal("released");
    const next = await other.acquire("name");
    expect(next.fencingToken).to.be.above(lock.fencingToken ?? 0);
    await next.release();
  });

  for (const [what, Client] of [
    ["ioredis 5", Cluster5],
    ["iovalkey", ValkeyCluster],
  ] as const) {
    it(`is copied from a client of ${what}, which is not used`, async () => {
      const client = new Client([{ host: "127.0.0.1", port: server.port }], { lazyConnect: true });
      await using locks = new LockManager([client], OPTIONS);
      await using other = new LockManager([cluster], OPTIONS);
      await locks.ready();
      const lock = await locks.acquire("name");
      await nodeHolds(server, "lock:name", ownerIdOf(lock));
      expect(await other.tryAcquire("name")).to.equal(null);
      expect(await lock.release()).to.equal("released");
      expect(client.status).to.equal("wait");
    });
  }

  it("takes many names of many permits in one tick", async () => {
    await using locks = new LockManager([cluster], OPTIONS);
    await locks.ready();
    const held = await Promise.all(
      Array.from({ length: 60 }, (_, index) => locks.acquire(`name-${index}`, { waitMs: 0 })),
    );
    const tagged = await locks.acquire("{tag}:name");
    for (const lock of [...held, tagged]) expect(await lock.release()).to.equal("released");
  });

  it("is locked on after it has lost its scripts", async () => {
    await using locks = new LockManager([cluster], OPTIONS);
    await locks.ready();
    for (const name of ["one", "two", "one"]) {
      const lock = await locks.acquire(name);
      await server.command("SCRIPT", "FLUSH");
      await lock.extend();
      await server.command("SCRIPT", "FLUSH");
      expect(await lock.release()).to.equal("released");
    }
  });

  it("refuses names whose keys are in two permits, before anything is sent", async () => {
    await using locks = new LockManager([cluster], OPTIONS);
    for (const name of ["a}b", "{}x"]) {
      const error = await rejectionWith(RangeError, locks.acquire(name));
      expect(error.message).to.include("hash tag").and.include(JSON.stringify(name));
    }
  });

  it("takes several names of one slot as a set, by a common tag", async () => {
    await using locks = new LockManager([cluster], OPTIONS);
    await using other = new LockManager([cluster], OPTIONS);
    await Promise.all([locks.ready(), other.ready()]);
    const set = await locks.acquire(["{user:7}mail", "{user:7}cart"]);
    await nodeHolds(server, "lock:{user:7}cart", ownerIdOf(set));
    await nodeHolds(server, "lock:{user:7}mail", ownerIdOf(set));
    expect(await other.tryAcquire("{user:7}mail")).to.equal(null);
    expect(await other.tryAcquire(["{user:7}cart", "{user:7}basket"])).to.equal(null);
    await set.extend();
    expect(await set.release()).to.equal("released");
    const next = await other.acquire("{user:7}mail");
    expect(next.fencingToken).to.be.above(set.fencingToken ?? 0);
    await next.release();
  });

  it("refuses several names of different permits, before anything is sent", async () => {
    await using locks = new LockManager([cluster], OPTIONS);
    await locks.ready();
    const sent = async (): Promise<string> => {
      const stats = String(await server.command("INFO", "commandstats"));
      return /cmdstat_evalsha?:calls=(\d+)/.exec(stats)?.[1] ?? "0";
    };
    const before = await sent();
    for (const names of [
      ["mail", "cart"],
      ["{user:7}mail", "{user:8}mail"],
      ["{user:7}mail", "{user:7}cart", "cart"],
    ]) {
      const error = await rejectionWith(RangeError, locks.acquire(names));
      expect(error.message)
        .to.include("hash slot")
        .and.include(JSON.stringify(names.at(-1)));
    }
    expect(await sent()).to.equal(before);
  });

  it("is one of three beside two that are standalone", async () => {
    await using fleet = await RedisFleet.start({ nodes: 2 });
    const options = { nodeTimeoutMs: 2_500 };
    await using locks = new LockManager([at(fleet.urls, 0), cluster, at(fleet.urls, 1)], options);
    await using other = new LockManager([at(fleet.urls, 0), cluster, at(fleet.urls, 1)], options);
    await allNodes(locks);
    await allNodes(other);
    const lock = await locks.acquire("mixed");
    expect(await other.tryAcquire("mixed")).to.equal(null);
    await eventually(
      "the cluster holds it",
      async () => (await valueOf(server, "lock:mixed")) === ownerIdOf(lock),
    );
    // With one of the others away, it decides.
    await at(fleet.nodes, 0).pause();
    await lock.extend();
    expect(await lock.release()).to.equal("released");
    const next = await other.acquire("mixed");
    await next.release();
    await at(fleet.nodes, 1).pause();
    await rejectionWith(QuorumUnreachableError, other.tryAcquire("mixed"));
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    await noLockKeys(fleet.nodes);
  });

  it("is connected to again after it was away, and the client is neither used nor closed", async () => {
    await using own = await startCluster();
    const client = new Cluster([{ host: "127.0.0.1", port: own.port }], {
      clusterRetryStrategy: () => 50,
      redisOptions: { maxRetriesPerRequest: 1 },
    });
    client.on("error", () => {});
    await client.ping();
    const locks = new LockManager([client], { nodeTimeoutMs: 2_500 });
    await locks.ready();
    await own.kill();
    await nodeState(locks, 0, "down", 20_000);
    await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    await own.restart();
    await clusterIsUp(own);
    await nodeState(locks, 0, "ready", 20_000);
    const lock = await locks.acquire("name");
    expect(await lock.release()).to.equal("released");
    await locks.close();
    expect(client.status).not.to.equal("end");
    client.disconnect();
  }).timeout(60_000);

  it("that is given twice is misconfigured", async () => {
    const twin = new Cluster([{ host: "127.0.0.1", port: server.port }]);
    await using locks = new LockManager([cluster, twin]);
    locks.on("warning", () => {});
    await eventually("it is found", () =>
      locks.nodes.some(({ detail }) => detail.includes("the same server")),
    );
    twin.disconnect();
  });
});

describe("Nodes at Unix sockets", () => {
  it("are connected to, and left again", async () => {
    const folder = await mkdtemp(join(tmpdir(), "quorate-"));
    const pathOf = (index: number): string => join(folder, `${index}.sock`);
    await using fleet = await RedisFleet.start({
      nodes: 3,
      server: (index) => ({ extraArgs: ["--unixsocket", pathOf(index)] }),
    });
    const locks = new LockManager(
      fleet.nodes.map((_, index) => ({ options: { path: pathOf(index) } })),
      OPTIONS,
    );
    await locks.ready({ all: true });
    const lock = await locks.acquire("name");
    await lock.release();
    await locks.close();
    await rm(folder, { recursive: true });
  });
});
