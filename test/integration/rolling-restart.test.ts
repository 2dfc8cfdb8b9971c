import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { PATIENT } from "../support/patient.js";

/** Also the length of a quarantine: a busy machine may stop everything for a second or two. */
const MAX_TTL_MS = 5_000;
const OPTIONS = { ...PATIENT, ttlMs: MAX_TTL_MS, maxTtlMs: MAX_TTL_MS } as const;

describe("A rolling restart, as documented", function () {
  this.timeout(120_000);

  // With permits, as redis-semaphore's test of nodes that shut down.
  it("restarts every node without its data, grants locks meanwhile, and loses none", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, OPTIONS);
    await locks.ready({ all: true });
    await using held = await locks.acquire("held all the time");
    const jobs = locks.semaphore("jobs", { permits: 3 });
    await using two = await jobs.acquire({ permits: 2 });
    await using third = await jobs.acquire();
    const states: string[] = [];
    locks.on("node", ({ state }) => states.push(state));

    for (const node of fleet.nodes) {
      await node.kill();
      await node.restart({ keepData: false });
      const granted = await locks.acquire("another");
      expect(locks.quorum.votes).to.equal(2);
      expect(await jobs.tryAcquire()).to.equal(null);
      await granted.release();
      // The page waits until all nodes vote, with `quorate doctor`.
      await locks.ready({ all: true, timeoutMs: 60_000 });
    }

    for (const lock of [held, two, third]) {
      lock.assertHeld();
      await lock.extend();
    }
    expect(states.filter((state) => state === "quarantined")).to.have.length(3);
    // Each node has the key again: all three of them were empty once.
    const keys = await Promise.all(
      fleet.nodes.map((node) => node.command("EXISTS", "lock:held all the time")),
    );
    expect(keys).to.deep.equal([1, 1, 1]);
    const permits = await Promise.all(
      fleet.nodes.map((node) => node.command("ZCARD", "quorate:permits:{lock:jobs}")),
    );
    expect(permits).to.deep.equal([3, 3, 3]);
  });
});
