import { once } from "node:events";
import { expect } from "chai";
import { Redis as Valkey } from "iovalkey";
import { createClient as createClient5 } from "redis-5";
import { createClient as createClient6 } from "redis-6";
import { LockManager, MisconfiguredError } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { makeCertificates, type Certificates } from "../support/certificates.js";
import { allHold, allNodes, at, nodeState, noLockKeys } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

type Client = ReturnType<typeof createClient6>;
type Options = Parameters<typeof createClient6>[0];

/** Makes clients of each major version, as if they were of one type: they are, as far as tests go. */
const PACKAGES = [
  { what: "node-redis 5", make: (options: Options) => createClient5(options as object) as never },
  { what: "node-redis 6", make: (options: Options) => createClient6(options) },
] as readonly { what: string; make: (options: Options) => Client }[];

for (const { what, make } of PACKAGES)
  describe(`Clients of ${what} as nodes`, () => {
    it("are neither used nor closed, and see the locks", async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const clients = fleet.urls.map((url) => make({ url }));
      const opened = await Promise.all(clients.map((client) => client.connect()));
      try {
        const locks = new LockManager(clients, PATIENT);
        await allNodes(locks);
        const lock = await locks.acquire("name");
        await allHold(fleet.nodes, "name");
        expect(await at(opened, 0).get("lock:name")).to.contain(ownerIdOf(lock));
        await lock.extend();
        expect(await lock.release()).to.equal("released");
        await locks.close();
        for (const client of clients) {
          // The server may serve this client before it sees that the others are gone.
          await eventually("only its own connection is left", async () => {
            return (await client.clientList()).length === 1;
          });
        }
        for (const client of clients) {
          expect(client.isReady).to.equal(true);
          expect(await client.ping()).to.equal("PONG");
        }
      } finally {
        for (const client of clients) client.destroy();
      }
    });

    it("need not be connected, and stay so; a node that was away is used again", async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const clients = fleet.nodes.map(({ port }) =>
        make({ socket: { host: "127.0.0.1", port, reconnectStrategy: () => 60_000 } }),
      );
      await using locks = new LockManager(clients, { ...PATIENT, quarantine: "off" });
      await allNodes(locks);
      await at(fleet.nodes, 0).kill();
      await nodeState(locks, 0, "down");
      await at(fleet.nodes, 0).restart();
      await nodeState(locks, 0, "ready", 20_000);
      const lock = await locks.acquire("name");
      expect(await lock.release()).to.equal("released");
      for (const client of clients) expect(client.isOpen).to.equal(false);
    });

    it("lock the same names as other clients, and report the same", async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const valkey = new Valkey({ port: at(fleet.nodes, 1).port, lazyConnect: true });
      const nodes = [
        make({ url: at(fleet.urls, 0) }),
        valkey,
        { client: make({ url: at(fleet.urls, 2) }), durable: false },
      ];
      await using locks = new LockManager(nodes, PATIENT);
      await using byUrl = new LockManager(fleet.urls, PATIENT);
      await Promise.all([allNodes(locks), allNodes(byUrl)]);
      await using lock = await locks.acquire("name");
      expect(await byUrl.tryAcquire("name")).to.equal(null);
      await allHold(fleet.nodes, "name");
      const [report, other] = await Promise.all([locks.inspect("name"), byUrl.inspect("name")]);
      const fingerprints = ({ holders }: typeof report) =>
        holders.map((holder) => holder.fingerprint);
      expect(report.holders).to.have.length(1);
      expect(fingerprints(report)).to.deep.equal(fingerprints(other));
      expect(lock.isHeld).to.equal(true);
    });

    it("name a user, a password and a database, by URL or by options, read again each time", async () => {
      const users = ["worker on >s3cr:t/ ~* &* +@all", "late on >later ~* &* +@all"];
      await using fleet = await RedisFleet.start({ nodes: 3, server: { users } });
      const [a, b, c] = fleet.nodes.map(({ port }) => port);
      const secret = { username: "worker", password: "s3cr:t/" };
      const third = make({
        socket: { port: c ?? 0 },
        username: "worker",
        password: "not yet",
        database: 4,
      });
      const nodes = [
        make({ url: `redis://worker:${encodeURIComponent(secret.password)}@127.0.0.1:${a}/4` }),
        make({ socket: { host: "127.0.0.1", port: b ?? 0 }, ...secret, database: 4 }),
        third,
      ];
      await using locks = new LockManager(nodes, PATIENT);
      locks.on("warning", () => {});
      await nodeState(locks, 2, "misconfigured");
      Object.assign(third.options ?? {}, secret);
      await allNodes(locks);
      const lock = await locks.acquire("name");
      for (const node of fleet.nodes) {
        expect(await node.command("EXISTS", "lock:name")).to.equal(0);
      }
      await using elsewhere = new LockManager(fleet.urls, PATIENT);
      const other = await elsewhere.acquire("name");
      expect([lock.isHeld, other.isHeld]).to.deep.equal([true, true]);
      await using inside = new LockManager(
        fleet.urls.map((url) => `${url}/4`),
        PATIENT,
      );
      expect(await inside.tryAcquire("name")).to.equal(null);
      await Promise.all([lock.release(), other.release()]);
    });

    describe("with TLS", () => {
      let certificates: Certificates;
      let fleet: RedisFleet;

      before(async () => {
        certificates = await makeCertificates();
        const tls = { ...certificates.files, requireClientCert: true };
        fleet = await RedisFleet.start({ nodes: 3, server: { tls } });
      });
      after(async () => {
        await fleet.stop();
        await certificates[Symbol.asyncDispose]();
      });

      it("bring their authority and their certificate", async () => {
        const { ca, cert, key } = certificates;
        const clients = fleet.nodes.map(({ port }, index) =>
          index === 0
            ? make({ url: `rediss://localhost:${port}`, socket: { tls: true, ca, cert, key } })
            : make({ socket: { tls: true, host: "127.0.0.1", port, ca, cert, key } }),
        );
        await using locks = new LockManager(clients, PATIENT);
        await locks.ready({ all: true });
        const lock = await locks.acquire("name");
        expect(await lock.release()).to.equal("released");
        await noLockKeys(fleet.nodes);
      });

      it("are misconfigured with the name of another host", async () => {
        const { ca, cert, key } = certificates;
        const socket = { tls: true, ca, cert, key, servername: "elsewhere.test" } as const;
        const clients = fleet.nodes.map(({ port }) =>
          make({ socket: { ...socket, host: "127.0.0.1", port } }),
        );
        await using locks = new LockManager(clients, PATIENT);
        locks.on("warning", () => {});
        const error = await rejectionWith(MisconfiguredError, locks.ready());
        expect(error.message).to.match(/Hostname\/IP/);
      });

      it("do not get in without their certificate", async () => {
        const { ca } = certificates;
        const clients = fleet.nodes.map(({ port }) =>
          make({ socket: { tls: true, host: "127.0.0.1", port, ca } }),
        );
        await using locks = new LockManager(clients);
        locks.on("warning", () => {});
        await once(locks, "node");
        await rejectionWith(Error, locks.ready({ timeoutMs: 1_000 }));
        expect(locks.quorum.votes).to.equal(0);
      });
    });
  });
