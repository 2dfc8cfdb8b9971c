import { expect } from "chai";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { inspect } from "node:util";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager, NotReadyError } from "../../src/index.js";
import { RedisFleet, RedisProcess } from "../../src/testing/index.js";
import { makeCertificates } from "../support/certificates.js";
import { allNodes, at, nodeState } from "../support/nodes.js";
import { rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** A quarantine lasts for the longest ttl, and has to outlast a stall of the machine. */
const OPTIONS = { nodeTimeoutMs: 2_000, maxTtlMs: 5_000, ttlMs: 4_000 };

/** Something that accepts connections and says nothing. */
async function silentServer(): Promise<Server> {
  const server = createServer((socket) => socket.on("error", () => {}).resume());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

describe("ready", () => {
  it("tells of every node that is out of reach, and why", async () => {
    await using plain = await RedisProcess.start();
    await using certificates = await makeCertificates();
    await using secure = await RedisProcess.start({ tls: certificates.files });
    const silent = await silentServer();
    const silentPort = (silent.address() as AddressInfo).port;
    const urls = [
      "redis://127.0.0.1:1",
      "redis://no-such-host.invalid:7001",
      `rediss://127.0.0.1:${plain.port}`,
      `redis://127.0.0.1:${secure.port}`,
      `redis://127.0.0.1:${silentPort}`,
    ];
    await using locks = new LockManager(urls, OPTIONS);
    await allNodes(locks, "down", 20_000);
    const error = await rejectionWith(NotReadyError, locks.ready({ timeoutMs: 50 }));
    expect(error.nodes.map(({ state }) => state)).to.deep.equal(urls.map(() => "down"));
    const details = error.nodes.map(({ detail }) => detail);
    for (const [index, reason] of [
      /ECONNREFUSED/,
      /ENOTFOUND|EAI_AGAIN/,
      /TLS is not answered; does the server speak TLS/,
      /closed the connection without an answer, .* TLS/,
      /connected, but the server does not answer/,
    ].entries()) {
      expect(details[index]).to.match(reason);
    }
    const first = `${at(error.nodes, 0).node} is down: ${at(details, 0).split(". ")[0]}`;
    expect(error.message)
      .to.include(first.slice(0, 100))
      .and.match(/; and \d more\)\. /);
    silent.close();
  });

  it("waits for a quarantine, which ends by itself", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await at(fleet.nodes, 2).kill();
    await using locks = new LockManager(fleet.urls, { ...OPTIONS, quarantine: "always" });
    await nodeState(locks, 2, "down");
    await nodeState(locks, 0, "quarantined");
    const error = await rejectionWith(NotReadyError, locks.ready({ timeoutMs: 0 }));
    expect(error.message).to.include("quarantined: has no record of having been used");
    expect(error.nodes.map(({ state }) => state)).to.include("down");
    await locks.ready();
    expect(locks.nodes.map(({ state }) => state).slice(0, 2)).to.deep.equal(["ready", "ready"]);
  });
});

describe("A node that restarted", () => {
  it("says so, for how long it does not vote, and how to avoid that", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await locks.ready();
    const said = /restarted; it votes in [1-6] s.*`durable: true`.*`maxTtlMs`/;
    await at(fleet.nodes, 0).restart();
    await nodeState(locks, 0, "quarantined");
    expect(at(locks.nodes, 0).detail).to.match(said);
    const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("a"));
    expect(error.message).to.match(/restarted; it votes in [1-6] s/);
    expect(at(error.votes, 0).message).to.match(said);
    // Another client was not there when it happened.
    await using other = new LockManager(fleet.urls, OPTIONS);
    await nodeState(other, 0, "quarantined");
    expect(at(other.nodes, 0).detail).to.match(/restarted or lost its data; it votes in/);
    await locks.ready();
    await at(fleet.nodes, 0).flush();
    await rejectionWith(QuorumUnreachableError, locks.tryAcquire("a"));
    expect(at(locks.nodes, 0).detail).to.match(/was flushed, or lost its data; it votes in/);
  });
});

describe("quorum and isReady", () => {
  it("say how many nodes vote now, and whether that is enough", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const locks = new LockManager(fleet.urls, { ...OPTIONS, quarantine: "off" });
    expect(locks.quorum).to.deep.equal({ nodeCount: 3, size: 2, votes: 0 });
    expect(locks.isReady).to.equal(false);
    await allNodes(locks);
    expect(locks.quorum).to.deep.equal({ nodeCount: 3, size: 2, votes: 3 });
    await at(fleet.nodes, 0).kill();
    await nodeState(locks, 0, "down");
    expect(locks.quorum.votes).to.equal(2);
    expect(locks.isReady).to.equal(true);
    await at(fleet.nodes, 1).kill();
    await nodeState(locks, 1, "down");
    expect(locks.quorum.votes).to.equal(1);
    expect(locks.isReady).to.equal(false);
    await locks.close();
    expect(locks.quorum.votes).to.equal(0);
  });

  it("and what is held are what a log shows of a lock manager", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    const lock = await locks.acquire("name");
    const shown = inspect(locks);
    expect(shown)
      .to.include("3 of 3 nodes vote, 2 are needed")
      .and.include("heldCount: 1")
      .and.include("pendingCount: 0")
      .and.include(`127.0.0.1:${at(fleet.nodes, 0).port} ready`)
      .and.not.include(ownerIdOf(lock))
      .and.not.include("_events");
    expect(inspect({ nested: { locks } }, { depth: 0 })).to.be.a("string");
  });
});
