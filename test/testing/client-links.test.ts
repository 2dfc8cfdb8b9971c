import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode, TcpLink } from "../../src/testing/index.js";
import { accepts, oneShotClient, rejection, unanswered, until } from "./raw-client.js";

const urlsOf = (links: readonly TcpLink[]): string[] => links.map(({ url }) => url);

describe("A client's own links", () => {
  it("are the same for the same name, and others for another", async () => {
    await using fleet = await RedisFleet.start({ nodes: 2 });
    const [again, a, b] = await Promise.all(["a", "a", "b"].map((name) => fleet.linksFor(name)));
    expect(again).to.deep.equal(a);
    const urls = [a, b].flatMap((links) => urlsOf(links ?? []));
    expect(new Set([...urls, ...fleet.urls]).size).to.equal(6);
  });

  it("end with their fleet, which gives no more of them", async () => {
    const fleet = await RedisFleet.start({ nodes: 1 });
    const [link] = await fleet.linksFor("a");
    expect(await accepts(link?.port ?? 0)).to.equal(true);
    await fleet.stop();
    expect(await accepts(link?.port ?? 0)).to.equal(false);
    expect((await rejection(fleet.linksFor("a"))).message).to.match(/stopped/);
  });

  for (const links of [false, true]) {
    it(`strike nobody else, in a fleet ${links ? "with" : "without"} links`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 1, links });
      const node = fleet.nodes[0] as FleetNode;
      const [a, b] = await Promise.all([node.linkFor("a"), node.linkFor("b")]);
      const clients = [a.url, b.url, node.url].map((url) => oneShotClient(url));
      const [ofA, ofB, ofAll] = await Promise.all(clients);
      a.blackhole();
      await unanswered(ofA?.ping() ?? Promise.resolve());
      expect(await ofB?.ping()).to.equal("PONG");
      expect(await ofAll?.ping()).to.equal("PONG");
      for (const client of [ofA, ofB, ofAll]) client?.disconnect();
    });
  }

  it("add their faults to those of the node's link", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1, links: true });
    const node = fleet.nodes[0] as FleetNode;
    const own = await node.linkFor("a");
    const client = await oneShotClient(own.url);
    node.link.hold();
    own.delay(20);
    await unanswered(client.set("key", "held by the node's link"));
    await own.heal();
    expect(await node.command("GET", "key")).to.equal(null);
    await node.link.heal();
    await until(async () => (await node.command("GET", "key")) !== null);
    client.disconnect();
  });
});

describe("The fault of a node's link", () => {
  let fleet: RedisFleet;
  let node: FleetNode;
  let own: TcpLink;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1, links: true });
    node = fleet.nodes[0] as FleetNode;
    own = await node.linkFor("a");
  });
  beforeEach(() => node.flush());
  afterEach(() => node.link.heal());
  after(() => fleet.stop());

  it("keeps the bytes of a client with its own link until it has gone, and delivers them late", async () => {
    const client = await oneShotClient(own.url);
    node.link.lateDelivery(50);
    await unanswered(client.set("key", "late"));
    expect(await node.command("GET", "key")).to.equal(null);
    client.disconnect();
    await until(async () => (await node.command("GET", "key")) === "late");
  });

  it("resets it", async () => {
    const client = await oneShotClient(own.url);
    node.link.reset();
    await until(() => client.status === "end");
  });

  it("refuses it", async () => {
    const client = await oneShotClient(own.url);
    await node.link.refuse();
    await until(() => client.status === "end");
    await rejection(oneShotClient(own.url));
  });

  it("loses a reply to it, and with that its connection", async () => {
    const client = await oneShotClient(own.url);
    node.link.dropReplies(1);
    await rejection(client.set("key", "executed"));
    expect(await node.command("GET", "key")).to.equal("executed");
  });
});

describe("A partition that each client sees differently", () => {
  // Long leases: on a busy machine a restart takes its time, and nobody may lose the lock by that.
  const options = { ttlMs: 30_000, maxTtlMs: 30_000, nodeTimeoutMs: 500, waitMs: 20_000 };
  let fleet: RedisFleet;
  let linksOfA: TcpLink[];
  let linksOfB: TcpLink[];

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 5 });
    [linksOfA, linksOfB] = await Promise.all([fleet.linksFor("a"), fleet.linksFor("b")]);
  });
  afterEach(() => fleet.stop());

  /** A manager that has seen all nodes: only then is a deployment new to it. */
  async function managerOf(links: readonly TcpLink[], more = {}): Promise<LockManager> {
    const locks = new LockManager(urlsOf(links), { ...options, ...more });
    locks.on("warning", () => {});
    await locks.ready();
    await (await locks.acquire("first")).release();
    return locks;
  }

  /** A reaches the first three nodes and B the last three: only the one in the middle is common. */
  function divide(): void {
    for (const link of linksOfA.slice(3)) link.blackhole();
    for (const link of linksOfB.slice(0, 2)) link.blackhole();
  }

  /** Too few nodes answer to know who holds the name; one that does is enough to be kept out. */
  async function expectUnreachable(locks: LockManager): Promise<void> {
    const error = await rejection(locks.acquire("job", { waitMs: 300 }));
    expect(error).to.have.property("code", "QUORATE_UNREACHABLE");
  }

  it("leaves the lock with one of them, by the one node that both reach", async () => {
    await using a = await managerOf(linksOfA);
    await using b = await managerOf(linksOfB);
    divide();
    const held = await a.acquire("job");
    await expectUnreachable(b);
    const before = held.fencingToken ?? Infinity;
    await held.release();
    const next = await b.acquire("job");
    expect(next.fencingToken).to.be.above(before);
    await expectUnreachable(a);
    await next.release();
  });

  it("gives the lock to nobody else when that node restarts empty", async () => {
    await using a = await managerOf(linksOfA);
    await using b = await managerOf(linksOfB);
    divide();
    const held = await a.acquire("job");
    await fleet.nodes[2]?.restart({ keepData: false });
    // Without the quarantine, B would have a quorum here: two nodes that never heard of the lock,
    // and one that forgot it.
    await expectUnreachable(b);
    expect(held.isHeld).to.equal(true);
    await held.release();
  });

  it("has two holders then, if the quarantine is off", async () => {
    const off = { quarantine: "off" } as const;
    await using a = await managerOf(linksOfA, off);
    await using b = await managerOf(linksOfB, off);
    divide();
    const held = await a.acquire("job", { renew: false });
    await fleet.nodes[2]?.restart({ keepData: false });
    await using second = await b.acquire("job");
    expect([held.isHeld, second.isHeld]).to.deep.equal([true, true]);
    await held.release();
  });

  it("cuts one client off from a majority, and leaves the other its locks", async () => {
    await using a = await managerOf(linksOfA);
    await using b = await managerOf(linksOfB);
    for (const link of linksOfA.slice(2)) link.blackhole("toClient");
    await expectUnreachable(a);
    await Promise.all(linksOfA.map((link) => link.heal()));
    const lock = await b.acquire("job");
    await lock.release();
    const again = await a.acquire("job");
    await again.release();
  });
});
