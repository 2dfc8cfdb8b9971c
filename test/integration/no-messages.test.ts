import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Redis } from "ioredis";
import { transportTo } from "../../examples/transports/node-redis.js";
import { LockManager } from "../../src/index.js";
import { inboxChannel } from "../../src/protocol/keys.js";
import { RedisFleet, RedisProcess } from "../../src/testing/index.js";
import { at, queueSize } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually } from "../support/settle.js";

describe("A node that notifies no waiters", function () {
  this.timeout(60_000);

  for (const [what, rule, extraArgs] of [
    ["its user may not publish", ["-publish"], []],
    ["its user may not subscribe", ["-subscribe"], []],
    ["it has no PUBLISH", [], ["--rename-command", "PUBLISH", ""]],
    ["it has no SUBSCRIBE", [], ["--rename-command", "SUBSCRIBE", ""]],
  ] as const) {
    it(`is named once, and waiters poll: ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 1, server: { extraArgs } });
      const node = at(fleet.nodes, 0);
      const rules = ["on", ">secret", "allkeys", "allchannels", "+@all", ...rule];
      await node.command("ACL", "SETUSER", "locker", ...rules);
      const urls = [`redis://locker:secret@127.0.0.1:${node.port}`];
      await using locks = new LockManager(urls, PATIENT);
      await using other = new LockManager(fleet.urls, PATIENT);
      const warnings: string[] = [];
      locks.on("warning", ({ code, message }) => warnings.push(`${code} ${message}`));
      for (let rounds = 0; rounds < 2; rounds++) {
        const held = await other.acquire("name");
        const waiting = locks.acquire("name", { waitMs: 30_000 });
        await eventually("it is told", () => warnings.length > 0);
        await held.release();
        await (await waiting).release();
      }
      expect(warnings).to.have.length(1);
      expect(warnings[0]).to.match(/^QUORATE_NO_MESSAGES 127\.0\.0\.1:\d+: it notifies no waiters/);
    });
  }
});

it("A node that may not be asked who listens finds out by an empty message", async () => {
  await using server = await RedisProcess.start();
  const rules = ["on", ">secret", "allkeys", "allchannels", "+@all", "-pubsub"];
  await server.command("ACL", "SETUSER", "locker", ...rules);
  const urls = [`redis://locker:secret@127.0.0.1:${server.port}`];
  await using holder = new LockManager(urls, PATIENT);
  await using waiter = new LockManager(urls, PATIENT);
  const listener = new Redis(server.url);
  const heard: string[] = [];
  listener.on("pmessage", (_pattern, channel: string, message: string) =>
    heard.push(`${channel} ${message.split(" ")[0]}`),
  );
  try {
    const held = await holder.acquire("name");
    const waiting = waiter.acquire("name", { waitMs: 30_000 });
    await eventually("it waits", async () => (await queueSize(server, "name")) === 1);
    await listener.psubscribe(`${inboxChannel("")}*`);
    await held.release();
    await (await waiting).release();
    await eventually("it is heard", () => heard.some((each) => each.endsWith(" granted")));
  } finally {
    listener.disconnect();
  }
  const [channel] = heard.find((each) => each.endsWith(" granted"))?.split(" ") ?? [];
  expect(heard).to.include(`${channel} `);
});

it("A process that hears a node only through its replica gets no lock that the node gave to another", async () => {
  const extraArgs = ["--repl-diskless-sync-delay", "0"];
  await using server = await RedisProcess.start({ extraArgs });
  await using replica = await RedisProcess.start();
  await replica.command("REPLICAOF", "127.0.0.1", server.port);
  await eventually("it follows", async () =>
    String(await replica.command("INFO", "replication")).includes("master_link_status:up"),
  );
  // As after a failover, if its connection for messages is still to the former master.
  const { subscribe } = transportTo(replica.url);
  const transport = { ...transportTo(server.url), ...(subscribe && { subscribe }) };
  await using misled = new LockManager([{ transport }], PATIENT);
  await using others = new LockManager([server.url], PATIENT);
  await using more = new LockManager([server.url], PATIENT);
  const held = await others.acquire("name");
  let heldCount = 0;
  const turns: Promise<void>[] = [];
  for (const locks of [misled, more]) {
    const turn = locks.request("name", async (lock) => {
      expect(++heldCount).to.equal(1);
      await sleep(300);
      expect(lock.isHeld).to.equal(true);
      heldCount--;
    });
    turns.push(turn);
    await eventually("it waits", async () => (await queueSize(server, "name")) === turns.length);
  }
  await held.release();
  await Promise.all(turns);
});
