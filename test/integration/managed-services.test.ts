import { expect } from "chai";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { AlteredServer } from "../support/altered-server.js";
import { examined } from "../support/examined.js";
import { allNodes, at, serverVersion } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { rejectionWith, renewed } from "../support/settle.js";

const CLUSTER = ["cluster|addslots", "cluster|delslots", "cluster|setslot"];
const OF_ALL = ["debug", "migrate", "replicaof", "slaveof", "shutdown", "bgsave", "save", "sync"];

/** What they take away, by their own pages (docs/operate/managed-redis.md). */
const DENIED: Readonly<Record<string, readonly string[]>> = {
  "Amazon ElastiCache": [...OF_ALL, "bgrewriteaof", "config"],
  "Amazon MemoryDB": [
    ...OF_ALL,
    ...["acl|deluser", "acl|load", "acl|save", "acl|setuser", "bgrewriteaof", "config"],
    ...[...CLUSTER, "module", "psync"],
  ],
  "Redis Cloud, Azure Managed Redis": [
    ...OF_ALL,
    ...[...CLUSTER, "client|no-evict", "client|pause", "script|debug", "module", "psync"],
    ...["bgrewriteaof", "config|resetstat", "config|rewrite", "acl"],
  ],
};

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

describe("The commands that a managed service takes away", function () {
  this.timeout(60_000);

  before(async function () {
    // Before that, a rule denies no subcommand.
    if ((await serverVersion()) < 7) this.skip();
  });

  for (const [service, denied] of Object.entries(DENIED)) {
    it(`are not needed: ${service}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const rules = ["on", ">secret", "allkeys", "allchannels", "+@all"];
      const without = denied.map((command) => `-${command}`);
      await Promise.all(
        fleet.nodes.map((node) => node.command("ACL", "SETUSER", "locker", ...rules, ...without)),
      );
      const urls = fleet.nodes.map(({ port }) => `redis://locker:secret@127.0.0.1:${port}`);
      await using locks = new LockManager(urls, PATIENT);
      await using other = new LockManager(urls, PATIENT);
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
      const { findings } = await examined(urls);
      expect(findings.filter(({ severity }) => severity === "error")).to.deep.equal([]);
    });
  }
});
