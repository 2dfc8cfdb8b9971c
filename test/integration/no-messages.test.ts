import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { transportTo } from "../../examples/transports/node-redis.js";
import { LockManager } from "../../src/index.js";
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
