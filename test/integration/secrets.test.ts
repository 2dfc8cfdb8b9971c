import { expect } from "chai";
import { Cluster, Redis } from "ioredis";
import { Redis as Redis5 } from "ioredis-5";
import { inspect } from "node:util";
import { LockManager, MisconfiguredError, type NodeConfig } from "../../src/index.js";
import { RedisFleet, RedisProcess } from "../../src/testing/index.js";
import { brief } from "../support/brief.js";
import { addAllSlots, clusterIsUp } from "../support/cluster.js";
import { Eavesdropper, textOf } from "../support/eavesdropper.js";
import { at } from "../support/nodes.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

const PASSWORD = "hush-hush";

/** Ways to name the nodes of a fleet with a password. */
const WAYS: Readonly<Record<string, (ports: readonly number[]) => readonly NodeConfig[]>> = {
  URLs: (ports) => ports.map((port) => `redis://:${PASSWORD}@127.0.0.1:${port}`),
  "clients of ioredis 6": (ports) =>
    ports.map((port) => new Redis({ port, password: PASSWORD, lazyConnect: true })),
  "clients of ioredis 5": (ports) =>
    ports.map((port) => new Redis5({ port, password: PASSWORD, lazyConnect: true })),
};

/** Does what there is to do with locks; returns all ownerIds, and all that is told on the way. */
async function useLocks(nodes: readonly NodeConfig[]): Promise<{ ids: string[]; told: string[] }> {
  const told: string[] = [];
  const locks = new LockManager(nodes, brief(6_000));
  for (const event of ["node", "lost", "warning"] as const) {
    locks.on(event, (about: unknown) => told.push(textOf(about)));
  }
  await locks.ready();
  const lock = await locks.acquire("name");
  told.push(textOf(await rejectionOf(locks.acquire("name", { waitMs: 0 }))));
  const waiting = locks.acquire("name", { waitMs: 10_000 });
  await lock.extend();
  told.push(
    inspect(locks),
    inspect(lock),
    textOf(await locks.inspect("name")),
    textOf(locks.nodes),
  );
  told.push(textOf(await locks.query()));
  await lock.release();
  const next = await waiting;
  const readers = await Promise.all([1, 2].map(() => locks.acquire("shared", { mode: "shared" })));
  const permit = await locks.semaphore("permits", { permits: 2 }).acquire();
  const set = await locks.acquire(["{a}1", "{a}2"]);
  const owned = await locks.acquire("owned", { owner: "job" });
  const ids = [lock, next, permit, set, owned, ...readers].map(ownerIdOf);
  await locks.request("request", (lock) => ids.push(ownerIdOf(lock)));
  for await (const _ of locks.elect("term")) break;
  const given = await locks.acquire("given");
  ids.push(ownerIdOf(given), ownerIdOf(await locks.adopt(given.handOver())));
  for (const layout of ["redisson", "timestamp"] as const) {
    await using others = new LockManager(nodes, { ...brief(6_000), layout });
    ids.push(ownerIdOf(await others.acquire(layout)));
    told.push(inspect(others), textOf(await others.inspect(layout)));
  }
  told.push(textOf(await locks.forceRelease("name")));
  await eventually("it is lost", () => !next.isHeld, 20_000);
  told.push(textOf(next.signal.reason), textOf(await rejectionOf(next.extend())));
  await locks.close();
  return { ids, told };
}

describe("Secrets", () => {
  for (const [what, nodesOf] of Object.entries(WAYS)) {
    it(`go into no error, event, inspection, trace or log: ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3, server: { requirepass: PASSWORD } });
      using heard = new Eavesdropper();
      const { ids, told } = await useLocks(nodesOf(fleet.nodes.map(({ port }) => port)));
      expect(new Set(ids).size).to.equal(12);
      expect(heard.published, "it does hear something").to.have.length.above(0);
      expect([...heard.channels]).to.include.members([
        ...["tracing:quorate:acquire:asyncEnd", "tracing:quorate:extend:asyncEnd"],
        ...["tracing:quorate:release:asyncEnd", "tracing:quorate:request:asyncEnd"],
        ...["quorate:round", "quorate:lost", "quorate:node", "quorate:waiting"],
      ]);
      for (const text of [...told, ...heard.published]) {
        for (const secret of [PASSWORD, ...ids]) expect(text).not.to.include(secret);
      }
      // ioredis writes passwords there of itself; the commands are ours.
      expect(heard.logged).to.have.length.above(20);
      for (const text of heard.logged) for (const id of ids) expect(text).not.to.include(id);
    });
  }

  it("go nowhere with a Cluster either", async () => {
    await using server = await RedisProcess.start({
      cluster: true,
      requirepass: PASSWORD,
      extraArgs: ["--cluster-announce-ip", "127.0.0.1"],
    });
    await addAllSlots(server);
    await clusterIsUp(server);
    using heard = new Eavesdropper();
    const client = new Cluster([{ host: "127.0.0.1", port: server.port }], {
      lazyConnect: true,
      redisOptions: { password: PASSWORD },
    });
    const { ids, told } = await useLocks([client]);
    for (const text of [...told, ...heard.published, ...heard.logged]) {
      for (const id of ids) expect(text).not.to.include(id);
    }
    for (const text of [...told, ...heard.published]) expect(text).not.to.include(PASSWORD);
  });

  it("go nowhere when the server refuses them", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1, server: { requirepass: "another" } });
    await using cluster = await RedisProcess.start({ cluster: true, requirepass: "another" });
    const { port } = at(fleet.nodes, 0);
    using heard = new Eavesdropper();
    const members = { redisOptions: { password: PASSWORD }, lazyConnect: true };
    for (const node of [
      `redis://:${PASSWORD}@127.0.0.1:${port}`,
      { options: { port, username: "user", password: PASSWORD, protocol: 2 as const } },
      new Cluster([{ host: "127.0.0.1", port: cluster.port }], members),
    ]) {
      await using locks = new LockManager([node]);
      const told: string[] = [];
      locks.on("warning", (warning) => told.push(textOf(warning)));
      told.push(textOf(await rejectionWith(MisconfiguredError, locks.ready())), inspect(locks));
      for (const text of [...told, ...heard.published]) expect(text).not.to.include(PASSWORD);
      expect(heard.published).to.have.length.above(0);
    }
  });
});
