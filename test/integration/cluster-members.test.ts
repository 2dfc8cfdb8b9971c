import { setTimeout as sleep } from "node:timers/promises";
import keySlot from "cluster-key-slot";
import { expect } from "chai";
import { Cluster } from "ioredis";
import { LockManager, NoQuorumError } from "../../src/index.js";
import { moveSlot, startPair } from "../support/cluster.js";
import { AsyncDisposableStackOf } from "../support/owned.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionWith } from "../support/settle.js";

describe("A Cluster of which a member", () => {
  /** Two members, of which the second has the name `theirs`, and a lock manager that uses them as a node. */
  async function open(stack: AsyncDisposableStackOf) {
    const [first, second] = await startPair();
    stack.own(first);
    stack.own(second);
    await moveSlot(keySlot("lock:theirs"), first, second);
    const cluster = new Cluster([{ host: "127.0.0.1", port: first.port }], { lazyConnect: true });
    const locks = stack.own(new LockManager([cluster], { ...PATIENT, nodeTimeoutMs: 2_000 }));
    locks.on("warning", () => {});
    await locks.ready();
    return { first, second, locks };
  }

  it("loses the connection executes nothing after its rollback that was in flight there", async () => {
    await using stack = new AsyncDisposableStackOf();
    const { first: server, locks } = await open(stack);
    // Connected to both, it goes on when it loses one.
    await (await locks.acquire("theirs")).release();
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      await server.command("CLIENT", "PAUSE", 3_000, "WRITE");
      const asking = locks.acquire("x", { signal: controller.signal }).catch(() => undefined);
      await sleep(20);
      await server.command("CLIENT", "KILL", "TYPE", "normal");
      await server.command("CLIENT", "UNPAUSE");
      await sleep(10);
      controller.abort();
      // It may have asked again, and have it.
      await (await asking)?.release();
      // As long as a client of the Cluster would wait before it sends it again.
      await sleep(200);
      expect(await server.command("EXISTS", "lock:x")).to.equal(0);
    }
    await (await locks.acquire("x", { waitMs: 10_000 })).release();
  });

  it("is still being connected to is waited for", async () => {
    await using stack = new AsyncDisposableStackOf();
    const { first, second } = await open(stack);
    const seeds = [first, second].map(({ port }) => ({ host: "127.0.0.1", port }));
    for (let count = 0; count < 20; count++) {
      await using locks = new LockManager([new Cluster(seeds, { lazyConnect: true })], PATIENT);
      await locks.ready();
      for (const name of ["theirs", "ours"]) await (await locks.tryAcquire(name))?.release();
    }
  });

  it("is down costs only its own names", async () => {
    await using stack = new AsyncDisposableStackOf();
    const { second, locks } = await open(stack);
    const [ours, theirs] = [await locks.acquire("ours"), await locks.acquire("theirs")];
    const states: string[] = [];
    locks.on("node", ({ state }) => states.push(state));
    await second.kill();
    for (let count = 0; count < 5; count++) {
      await (await locks.acquire("other", { waitMs: 0 })).release();
      await rejectionWith(NoQuorumError, theirs.extend());
      await ours.extend();
    }
    expect(states).to.deep.equal([]);
    await ours.release();
    expect(await theirs.release()).to.equal("partial");
  });

  it("is frozen costs only its own names, and gets what it is owed once it answers", async () => {
    await using stack = new AsyncDisposableStackOf();
    const { second, locks } = await open(stack);
    const [ours, theirs] = [await locks.acquire("ours"), await locks.acquire("theirs")];
    const states: string[] = [];
    locks.on("node", ({ state }) => states.push(state));
    await second.pause();
    // In one batch with its name, the others wait for it once.
    const [found] = await Promise.allSettled([theirs.extend(), ours.extend()]);
    expect(found.status).to.equal("rejected");
    for (let count = 0; count < 5; count++) {
      await (await locks.acquire("other", { waitMs: 0 })).release();
      await rejectionWith(NoQuorumError, theirs.extend());
      await ours.extend();
    }
    expect(await theirs.release()).to.equal("partial");
    await second.resume();
    await eventually(
      "its name is free",
      async () => !(await second.command("EXISTS", "lock:theirs")),
    );
    await (await locks.acquire("theirs", { waitMs: 5_000 })).release();
    expect(states).to.deep.equal([]);
  });
});
