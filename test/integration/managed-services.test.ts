import { expect } from "chai";
import { Cluster } from "ioredis";
import { LockManager, MisconfiguredError, type NodeConfig } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { AlteredServer } from "../support/altered-server.js";
import { startCluster } from "../support/cluster.js";
import { examined } from "../support/examined.js";
import { allNodes, at, serverVersion } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { rejectionWith, renewed } from "../support/settle.js";

const OF_ALL = ["debug", "migrate", "replicaof", "slaveof", "shutdown", "bgsave", "save", "sync"];
const SLOTS = ["cluster|addslots", "cluster|delslots", "cluster|setslot"];

interface Service {
  /** What it takes away, by its own pages (docs/operate/managed-redis.md). */
  readonly denied: readonly string[];
  /** Whether no script may call INFO there. */
  readonly isInfoDenied?: boolean;
  /** Of these, what each node needs. */
  readonly missed?: string;
}

const REDIS_SOFTWARE: Service = {
  denied: [
    ...[...OF_ALL, ...SLOTS, "bgrewriteaof", "psync", "module", "acl", "swapdb", "select"],
    ...["client|pause", "client|reply", "client|tracking", "config|resetstat", "script|debug"],
  ],
  isInfoDenied: true,
};

const SERVICES = {
  "Amazon ElastiCache": { denied: [...OF_ALL, "bgrewriteaof", "config"] },
  "Amazon MemoryDB": {
    denied: [
      ...[...OF_ALL, ...SLOTS, "bgrewriteaof", "psync", "module", "config"],
      ...["acl|deluser", "acl|load", "acl|save", "acl|setuser"],
    ],
  },
  "Redis Cloud": REDIS_SOFTWARE,
  "Azure Managed Redis": REDIS_SOFTWARE,
  Upstash: {
    denied: [
      ...[...OF_ALL, "bgrewriteaof", "psync", "module", "cluster", "swapdb"],
      ...["client|kill", "client|pause", "client|reply", "client|tracking"],
    ],
    missed: "client|kill",
  },
} as const satisfies Readonly<Record<string, Service>>;

/** Of the commands of which only some subcommands are denied. */
const NEEDED = ["client|id", "client|kill", "client|list", "client|setname"];

/** Before Redis 7 no subcommand can be denied: then all are that are not needed. */
function rulesWithout(denied: readonly string[], isBefore7: boolean): readonly string[] {
  if (!isBefore7) return denied.map((command) => `-${command}`);
  return [
    ...denied.map((command) => `-${command.split("|")[0]}`),
    ...NEEDED.filter((command) => !denied.includes(command)).map((command) => `+${command}`),
  ];
}

/** Servers that take the commands away from the user whose name and password their URLs have. */
class Servers implements AsyncDisposable {
  readonly nodes: readonly NodeConfig[];
  readonly fleet: RedisFleet;
  readonly #altered: readonly AlteredServer[];

  private constructor(fleet: RedisFleet, altered: readonly AlteredServer[], urls: string[]) {
    this.fleet = fleet;
    this.#altered = altered;
    const nodes = urls.map((url) => url.replace("redis://", "redis://locker:secret@"));
    this.nodes = altered.length > 0 ? nodes.map((url) => ({ url, acceptNoRunId: true })) : nodes;
  }

  static async start({ denied, isInfoDenied }: Service): Promise<Servers> {
    const rules = rulesWithout(denied, (await serverVersion()) < 7);
    const fleet = await RedisFleet.start({ nodes: 3 });
    const of = ["on", ">secret", "allkeys", "allchannels", "+@all", ...rules];
    await Promise.all(fleet.nodes.map((node) => node.command("ACL", "SETUSER", "locker", ...of)));
    const ports = isInfoDenied === true ? fleet.nodes.map(({ port }) => port) : [];
    const altered = await Promise.all(ports.map((port) => AlteredServer.start(port, "noInfo")));
    return new Servers(
      fleet,
      altered,
      altered.length > 0 ? altered.map(({ url }) => url) : fleet.urls,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#altered) await server[Symbol.asyncDispose]();
    await this.fleet[Symbol.asyncDispose]();
  }
}

describe("A service whose scripts may not call INFO", function () {
  this.timeout(60_000);

  it("is asked outside of them, and used if its restarts need not be seen", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    await using server = await AlteredServer.start(node.port, "noInfo");
    const nodes = [{ url: server.url, acceptNoRunId: true }];
    await using locks = new LockManager(nodes, PATIENT);
    await locks.ready();
    await (await locks.acquire("name")).release();
    const { findings } = await examined(nodes);
    expect(findings.filter(({ severity }) => severity === "error")).to.deep.equal([]);
    // What INFO says counts.
    await node.command("CONFIG", "SET", "maxmemory", "100mb");
    await node.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    await using evicting = new LockManager(nodes, PATIENT);
    evicting.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, evicting.ready());
    expect(error.message).to.include("allkeys-lru");
  });
});

describe("What a managed service takes away", function () {
  this.timeout(60_000);

  for (const [name, service] of Object.entries<Service>(SERVICES)) {
    const denied = service.denied.filter((command) => command !== service.missed);
    it(`is not needed: ${denied.length} commands of ${name}`, async () => {
      await using servers = await Servers.start({ ...service, denied });
      const { nodes, fleet } = servers;
      await using locks = new LockManager(nodes, PATIENT);
      await using other = new LockManager(nodes, PATIENT);
      await locks.ready({ all: true });
      const lock = await locks.acquire("name");
      await renewed(lock);
      const waiting = other.acquire("name", { waitMs: 30_000 });
      await lock.release();
      await (await waiting).release();
      await at(fleet.nodes, 0).command("CLIENT", "KILL", "USER", "locker");
      await allNodes(locks);
      await locks.request("pages", { mode: "shared" }, () => {});
      await locks.semaphore("permits", { permits: 2 }).request(() => {});
      for (const node of fleet.nodes)
        expect(await node.command("ACL", "LOG"), "nothing was tried in vain").to.deep.equal([]);
      const { findings } = await examined(nodes);
      expect(findings.filter(({ severity }) => severity === "error")).to.deep.equal([]);
    });

    const { missed } = service;
    if (missed === undefined) continue;
    it(`is refused by its name where it is needed: ${missed} of ${name}`, async () => {
      await using servers = await Servers.start(service);
      await using locks = new LockManager(servers.nodes, PATIENT);
      locks.on("warning", () => {});
      const error = await rejectionWith(MisconfiguredError, locks.ready());
      expect(error.message).to.include(`add +${missed}`);
      const { findings } = await examined(servers.nodes);
      const errors = findings.filter(({ severity }) => severity === "error");
      expect(errors.length).to.equal(3);
      for (const { saw } of errors) expect(saw).to.include(`add +${missed}`);
    });
  }

  it("is not needed on a Cluster, which Amazon MemoryDB always is", async () => {
    await using server = await startCluster();
    const rules = rulesWithout(SERVICES["Amazon MemoryDB"].denied, (await serverVersion()) < 7);
    const allowed = ["+@all", ...rules, "+cluster|info", "+cluster|nodes", "+cluster|slots"];
    await server.command("ACL", "SETUSER", "locker", "on", ">secret", "~*", "&*", ...allowed);
    const client = new Cluster([{ host: "127.0.0.1", port: server.port }], {
      ...{ lazyConnect: true, redisOptions: { username: "locker", password: "secret" } },
    });
    await using locks = new LockManager([client], PATIENT);
    await using other = new LockManager([client], PATIENT);
    const lock = await locks.acquire("name");
    await renewed(lock);
    const waiting = other.acquire("name", { waitMs: 30_000 });
    await lock.release();
    await (await waiting).release();
    await locks.request("pages", { mode: "shared" }, () => {});
    await locks.semaphore("permits", { permits: 2 }).request(() => {});
    expect(await server.command("CLIENT", "LIST")).to.match(/ cmd=evalsha user=locker /);
    expect(await server.command("ACL", "LOG"), "nothing was tried in vain").to.deep.equal([]);
  });
});
