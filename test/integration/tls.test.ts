import { expect } from "chai";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import { serverNodes, type NodeClients } from "../../src/nodes/server-nodes.js";
import { openPlainClient } from "../../src/redis/plain-client.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at, nodeState, noLockKeys, nodeHolds } from "../support/nodes.js";
import { makeCertificates, type Certificates } from "../support/certificates.js";
import { PATIENT } from "../support/patient.js";
import { rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

describe("Nodes that speak TLS", () => {
  let certificates: Certificates;
  let fleet: RedisFleet;

  before(async () => {
    certificates = await makeCertificates();
    fleet = await RedisFleet.start({ nodes: 3, server: { tls: certificates.files } });
  });

  after(async () => {
    await fleet.stop();
    await certificates[Symbol.asyncDispose]();
  });

  it("are used by a client that trusts their authority", async () => {
    const nodes = fleet.urls.map((url) => ({ url, options: { tls: { ca: certificates.ca } } }));
    await using locks = new LockManager(nodes, PATIENT);
    await locks.ready();
    const lock = await locks.acquire("name");
    await nodeHolds(at(fleet.nodes, 0), "lock:name", ownerIdOf(lock));
    await lock.extend();
    expect(await lock.release()).to.equal("released");
    await noLockKeys(fleet.nodes);
  });

  it("are used again after they were away", async () => {
    const nodes = fleet.urls.map((url) => ({ url, options: { tls: { ca: certificates.ca } } }));
    await using locks = new LockManager(nodes, { ...PATIENT, quarantine: "off" });
    await locks.ready();
    await at(fleet.nodes, 0).kill();
    await nodeState(locks, 0, "down");
    await at(fleet.nodes, 0).restart();
    await nodeState(locks, 0, "ready");
    const lock = await locks.acquire("name");
    expect(await lock.release()).to.equal("released");
  });

  it("are misconfigured for a client that does not", async () => {
    await using locks = new LockManager(fleet.urls, PATIENT);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.ready());
    expect(error.message).to.match(/certificate/);
    await rejectionWith(MisconfiguredError, locks.acquire("name", { waitMs: 3_000 }));
  });

  it("are misconfigured under a name that is not in their certificate", async () => {
    const nodes = fleet.nodes.map(({ port }) => ({
      url: `rediss://127.0.0.1:${port}`,
      options: { tls: { ca: certificates.ca, servername: "elsewhere.test" } },
    }));
    await using locks = new LockManager(nodes, PATIENT);
    locks.on("warning", () => {});
    const error = await rejectionWith(MisconfiguredError, locks.ready());
    expect(error.message).to.match(/Hostname\/IP/);
  });

  it("tell a client without a certificate at each attempt that they want one", async () => {
    await using strict = await RedisFleet.start({ nodes: 1, server: { tls: certificates.files } });
    await at(strict.nodes, 0).command("CONFIG", "SET", "tls-auth-clients", "yes");
    const tls = { ca: certificates.ca };
    const [node] = serverNodes(
      strict.urls.map((url) => ({ url, options: { tls } })),
      10_000,
    );
    for (let round = 0; round < 20; round++) {
      const opened = await openPlainClient(node as NodeClients, 10_000);
      if (opened.kind === "open") throw new Error("it opened");
      expect(opened.failure.message).to.match(/certificate required|handshake failure/);
      expect(opened.failure.isMisconfigured).to.equal(true);
    }
  });
});
