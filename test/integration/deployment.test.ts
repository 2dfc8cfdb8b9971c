import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode } from "../../src/testing/index.js";
import { allNodes, at, nodeState } from "../support/nodes.js";
import { eventually, rejectionWith } from "../support/settle.js";

/** All nodes of a new deployment have to be opened within four times that. */
const OPTIONS = { nodeTimeoutMs: 5_000 };

describe("A new deployment", function () {
  this.timeout(60_000);

  it("votes at once, though nodes without a record are quarantined otherwise", async () => {
    for (const nodeCount of [1, 3, 5]) {
      await using fleet = await RedisFleet.start({ nodes: nodeCount });
      await using locks = new LockManager(fleet.urls, OPTIONS);
      const lock = await locks.tryAcquire("name");
      expect(lock).not.to.equal(null);
      await allNodes(locks);
    }
  });

  it("votes at once when several managers find it at the same time", async () => {
    const round = (): Promise<void[]> =>
      Promise.all(
        Array.from({ length: 2 }, async () => {
          await using fleet = await RedisFleet.start({ nodes: 3 });
          const managers = Array.from({ length: 4 }, () => new LockManager(fleet.urls, OPTIONS));
          try {
            // Each its own name: nobody may be kept waiting by a quarantine of a minute.
            await Promise.all(
              managers.map(async (manager, index) => {
                const lock = await manager.acquire(`name-${index}`, { waitMs: 20_000 });
                await lock.release();
              }),
            );
            await Promise.all(managers.map((manager) => allNodes(manager)));
          } finally {
            await Promise.all(managers.map((manager) => manager.close()));
          }
        }),
      );
    for (let count = 0; count < 3; count++) await round();
  });

  it("votes at once for a manager that starts long after", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const options = { ...OPTIONS, maxTtlMs: 30_000 };
    {
      await using first = new LockManager(fleet.urls, options);
      await allNodes(first);
    }
    await using second = new LockManager(fleet.urls, options);
    const lock = await second.acquire("name", { waitMs: 20_000 });
    expect(lock.isHeld).to.equal(true);
  });

  it("is open for whoever comes while another opens it over slow links", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    const [first, ...slow] = fleet.nodes as [FleetNode, FleetNode, FleetNode];
    for (const node of slow) node.link.delay(300);
    await using opener = new LockManager(fleet.urls, OPTIONS);
    expect(opener.nodes).to.have.length(3);
    await eventually("the first node is open", async () => {
      const state = await first.command("HGET", "quorate:incarnation", "state");
      return state === "open";
    });
    // Comes when the others are about to be opened, and by then look like nodes that forgot.
    await using comer = new LockManager(
      fleet.nodes.map((node) => node.directUrl),
      OPTIONS,
    );
    const lock = await comer.acquire("name", { waitMs: 20_000 });
    expect(lock.isHeld).to.equal(true);
    await lock.release();
  });

  it("is none with one node missing: it takes all of them, or the time", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await at(fleet.nodes, 2).kill();
    await using locks = new LockManager(fleet.urls, { ttlMs: 5_000, maxTtlMs: 5_000 });
    await nodeState(locks, 0, "quarantined");
    await nodeState(locks, 1, "quarantined");
    const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    expect(error.votes.filter(({ fault }) => fault === "quarantined")).to.have.length(2);
    const lock = await locks.acquire("name", { waitMs: 30_000 });
    expect(lock.isHeld).to.equal(true);
  });

  it("waits like any node that forgot, with quarantine: always", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    const maxTtlMs = 5_000;
    const startedMs = performance.now();
    await using locks = new LockManager(fleet.urls, {
      ttlMs: maxTtlMs,
      maxTtlMs,
      quarantine: "always",
    });
    await allNodes(locks, "quarantined");
    const error = await rejectionWith(QuorumUnreachableError, locks.tryAcquire("name"));
    expect(error.message).to.match(/0\/3 granted, [23] quarantined/);
    const ready = locks.ready();
    const lock = await locks.acquire("name", { waitMs: 30_000 });
    expect(lock.isHeld).to.equal(true);
    expect(performance.now() - startedMs).to.be.above(maxTtlMs);
    await ready;
    await allNodes(locks);
  });

  it("tells of each node when it is ready, though a longer lease was heard of late", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    const third = at(fleet.nodes, 2);
    {
      // Leaves a record of a longer lease on one of the nodes.
      const options = { ttlMs: 6_000, maxTtlMs: 6_000, quarantine: "always" } as const;
      await using earlier = new LockManager([third.url], options);
      await nodeState(earlier, 0, "quarantined");
    }
    await third.link.refuse();
    const options = { ttlMs: 4_000, maxTtlMs: 4_000, quarantine: "always" } as const;
    await using locks = new LockManager(fleet.urls, options);
    locks.on("warning", () => {});
    const told = new Map<string, string>();
    locks.on("node", ({ node, state }) => told.set(node, state));
    await nodeState(locks, 0, "quarantined");
    await nodeState(locks, 1, "quarantined");
    await third.link.heal();
    await locks.ready({ signal: AbortSignal.timeout(30_000) });
    await allNodes(locks);
    await eventually("all three events", () =>
      [...told.values()].every((state) => state === "ready"),
    );
  });
});
