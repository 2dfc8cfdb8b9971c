import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { Cluster } from "ioredis";
import { LockManager, type Credentials, type NodeConfig } from "../../src/index.js";
import { RedisFleet, type RedisServer } from "../../src/testing/index.js";
import { moveSlot, startCluster, startPair } from "../support/cluster.js";
import { allNodes, at, nodeState, queueSize, serverVersion } from "../support/nodes.js";
import { eventually, renewed } from "../support/settle.js";

const OPTIONS = { ttlMs: 9_000, nodeTimeoutMs: 4_000 };

/** Issues users of the servers of a node. Each is deleted after a while, and with it the connections that are still its. */
class Issuer {
  callCount = 0;
  mostAtOnce = 0;
  /** What becomes of the next calls. */
  fails: Error | undefined;
  waitsFor: Promise<unknown> = Promise.resolve();
  readonly #servers: readonly RedisServer[];
  readonly #name: string;
  readonly #lifeMs: number;
  readonly #issued: { readonly username: string; readonly atMs: number }[] = [];
  #atOnce = 0;

  /** @param name of the node */
  constructor(servers: readonly RedisServer[], lifeMs: number, name?: string) {
    this.#servers = servers;
    this.#name = name ?? `127.0.0.1:${at(servers, 0).port}`;
    this.#lifeMs = lifeMs;
  }

  readonly credentials = async (node: string): Promise<Credentials> => {
    expect(node).to.equal(this.#name);
    const username = `app-${++this.callCount}`;
    const password = `token-${this.callCount}`;
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#atOnce);
    try {
      await this.waitsFor;
      if (this.fails !== undefined) throw this.fails;
      const rules = ["on", `>${password}`, "allkeys", "allchannels", "+@all"];
      await this.#everywhere("SETUSER", username, ...rules);
      await this.#deleteOld();
      this.#issued.push({ username, atMs: Date.now() });
      return { username, password, expiresAt: new Date(Date.now() + this.#lifeMs) };
    } finally {
      this.#atOnce--;
    }
  };

  /** Not the latest: nothing else was issued for its connections. */
  async #deleteOld(): Promise<void> {
    while (this.#issued.length > 1 && at(this.#issued, 0).atMs + 2 * this.#lifeMs < Date.now())
      await this.#everywhere("DELUSER", (this.#issued.shift() as { username: string }).username);
  }

  async #everywhere(...words: readonly string[]): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.command("ACL", ...words)));
  }
}

/** @param type of connections, of all without it */
async function connectionsOf(server: RedisServer, type?: "pubsub"): Promise<readonly string[]> {
  const words = type === undefined ? [] : ["TYPE", type];
  const list = String(await server.command("CLIENT", "LIST", ...words));
  return list.split("\n").flatMap((line) => {
    const [, id] = /^id=(\d+) .*\buser=app-/.exec(line) ?? [];
    return id === undefined ? [] : [id];
  });
}

/** Calls of AUTH, without those within HELLO. */
async function authCount(server: RedisServer): Promise<number> {
  const stats = String(await server.command("INFO", "commandstats"));
  return Number(/^cmdstat_auth:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
}

describe("Credentials that expire", function () {
  this.timeout(60_000);

  it("are renewed on the connections for commands and for messages, which stay", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    const issuer = new Issuer([node], 1_000);
    const nodes: NodeConfig[] = [{ url: node.url, credentials: issuer.credentials }];
    await using locks = new LockManager(nodes, OPTIONS);
    await using other = new LockManager(fleet.urls, { ...OPTIONS, retry: { maxDelayMs: 60_000 } });
    await locks.ready();
    const held = await other.acquire("name");
    const waiting = locks.acquire("name", { waitMs: 60_000 });
    await eventually("it waits", async () => (await queueSize(node, "name")) === 1);
    const both = async (): Promise<boolean> => (await connectionsOf(node)).length === 2;
    await eventually("for commands and for messages", both);
    const before = await connectionsOf(node);
    const [calls, auths] = [issuer.callCount, await authCount(node)];
    await eventually("three renewals", () => issuer.callCount >= calls + 3);
    await eventually("both each time", async () => (await authCount(node)) >= auths + 6);
    expect(await connectionsOf(node)).to.deep.equal(before);
    await held.release();
    const lock = await waiting;
    await lock.extend();
    await lock.release();
    expect(issuer.mostAtOnce).to.equal(1);
  });

  it("are asked for again by each new connection", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    const issuer = new Issuer([node], 60_000);
    await using locks = new LockManager(
      [{ url: node.url, credentials: issuer.credentials }],
      OPTIONS,
    );
    const lock = await locks.acquire("name");
    // A first client also opens a connection that tries whether scripts are atomic.
    const askedCount = issuer.callCount;
    for (const id of await connectionsOf(node)) await node.command("CLIENT", "KILL", "ID", id);
    await eventually("asked", () => issuer.callCount > askedCount);
    await allNodes(locks);
    await lock.extend();
    expect(await lock.release()).to.equal("released");
  });

  it("that cannot be renewed are warned of, and the connection stays", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    const issuer = new Issuer([node], 600);
    await using locks = new LockManager(
      [{ url: node.url, credentials: issuer.credentials }],
      OPTIONS,
    );
    const warnings: string[] = [];
    locks.on("warning", ({ code, message }) => warnings.push(`${code} ${message}`));
    const lock = await locks.acquire("name");
    issuer.fails = new Error("the token service is away");
    await eventually("it is told", () => warnings.length > 0);
    const calls = issuer.callCount;
    await eventually("asked again and again", () => issuer.callCount > calls + 2);
    expect(warnings).to.deep.equal([
      `QUORATE_CREDENTIALS 127.0.0.1:${node.port}: credentials() failed: the token service is away`,
    ]);
    expect(at(locks.nodes, 0)).to.include({
      state: "ready",
      detail: "credentials() failed: the token service is away",
    });
    await renewed(lock);
    issuer.fails = undefined;
    await eventually("well again", () => at(locks.nodes, 0).detail === "connected");
    expect(await lock.release()).to.equal("released");
  });

  it("that do not come keep the node down, and are not asked for a second time", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    const issuer = new Issuer([node], 60_000);
    let answer = (): void => {};
    issuer.waitsFor = new Promise<void>((resolve) => (answer = resolve));
    const nodes: NodeConfig[] = [{ url: node.url, credentials: issuer.credentials }];
    await using locks = new LockManager(nodes, { ttlMs: 2_000, nodeTimeoutMs: 300 });
    const warnings: string[] = [];
    locks.on("warning", ({ message }) => warnings.push(message));
    await nodeState(locks, 0, "down");
    expect(at(locks.nodes, 0).detail).to.include("its credentials are awaited");
    await eventually("it is told", () => warnings.length > 0);
    expect(warnings.join("")).to.include("credentials() has not answered within 1000 ms");
    expect(issuer.callCount).to.equal(1);
    answer();
    await locks.ready();
    expect(issuer.callCount).to.be.lessThan(4);
    expect(issuer.mostAtOnce).to.equal(1);
  });

  it("are renewed on the connections to the members of a Cluster", async () => {
    await using server = await startCluster();
    const issuer = new Issuer([server], 1_000, "cluster 0");
    // Without credentials, nothing is permitted.
    await server.command(
      "ACL",
      "SETUSER",
      "default",
      "-@all",
      "+acl",
      "+info",
      "+client",
      "+cluster",
      "+ping",
    );
    const client = new Cluster([{ host: "127.0.0.1", port: server.port }], { lazyConnect: true });
    await using locks = new LockManager([{ client, credentials: issuer.credentials }], OPTIONS);
    const lock = await locks.acquire("name");
    const before = await connectionsOf(server);
    const auths = await authCount(server);
    await eventually("two renewals", async () => (await authCount(server)) >= auths + 2);
    await lock.extend();
    expect(await connectionsOf(server)).to.include.members([...before]);
    expect(await lock.release()).to.equal("released");
    expect(issuer.mostAtOnce).to.equal(1);
  });

  it("are renewed on the connections to members of a Cluster that tell of locks, which stay", async function () {
    if ((await serverVersion()) < 7) this.skip();
    const members = await startPair();
    await using first = members[0];
    await using second = members[1];
    await moveSlot(keySlot("lock:b"), first, second);
    const issuer = new Issuer(members, 1_000, "cluster 0");
    const open = (): Cluster =>
      new Cluster([{ host: "127.0.0.1", port: first.port }], { lazyConnect: true });
    const patient = { ...OPTIONS, retry: { maxDelayMs: 60_000 }, waitMs: 60_000 };
    await using other = new LockManager([open()], patient);
    const held = [await other.acquire("a"), await other.acquire("b")];
    const node: NodeConfig = { client: open(), credentials: issuer.credentials };
    await using locks = new LockManager([node], patient);
    const waiting = ["a", "b"].map((name) => locks.acquire(name));
    const listening = async (): Promise<readonly string[]> =>
      (await Promise.all(members.map((member) => connectionsOf(member, "pubsub")))).flat();
    const both = async (): Promise<boolean> => (await listening()).length === 2;
    await eventually("it listens on both", both);
    const before = await listening();
    const [calls, auths] = [issuer.callCount, await Promise.all(members.map(authCount))];
    await eventually("four renewals", () => issuer.callCount >= calls + 4);
    for (const [index, member] of members.entries())
      await eventually(
        "also of the connection for commands",
        async () => (await authCount(member)) >= at(auths, index) + 8,
      );
    expect(await listening()).to.deep.equal(before);
    for (const lock of held) await lock.release();
    for (const lock of await Promise.all(waiting))
      expect(await lock.release()).to.equal("released");
    expect(issuer.mostAtOnce).to.equal(1);
  });
});
