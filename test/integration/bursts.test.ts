import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys } from "../support/nodes.js";

/** Far more than can be asked for and answered within one node deadline. */
const COUNT = 30_000;

/** A node counts as dead after five times its deadline, which is more than a stall of the machine and the burst. */
const OPTIONS = { ttlMs: 60_000, nodeTimeoutMs: 1_000, waitMs: 120_000 } as const;

describe("A burst of acquires in one process", () => {
  let fleet: RedisFleet;
  let locks: LockManager;
  /** Nodes that were not seen as well. */
  let troubles: string[];

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
    troubles = [];
    locks.on("node", ({ node, state }) => {
      if (state === "down" || state === "connecting") troubles.push(`${node} ${state}`);
    });
  });
  afterEach(async () => {
    await locks.close();
    await fleet.stop();
  });

  /** What became of every lock when it was released. */
  const all = async (): Promise<Set<string>> => {
    const names = Array.from({ length: COUNT }, (_, index) => `n${index}`);
    const results = names.map(async (name) => (await locks.acquire(name)).release());
    return new Set(await Promise.all(results));
  };

  it("L2: gets all of its names, which are free, and takes no node for dead", async function () {
    this.timeout(180_000);
    for (const outcome of await all()) expect(outcome).to.be.oneOf(["released", "partial"]);
    expect(troubles).to.deep.equal([]);
    await noLockKeys(fleet.nodes);
  });

  it("L2: gets all of them after an outage of a quorum in which all have waited", async function () {
    this.timeout(180_000);
    const frozen = [at(fleet.nodes, 0), at(fleet.nodes, 1)];
    for (const node of frozen) await node.pause();
    const acquired = all();
    await new Promise((resolve) => setTimeout(resolve, 2 * OPTIONS.nodeTimeoutMs));
    for (const node of frozen) await node.resume();
    // A node that is only just back may confirm a release too late for its deadline.
    for (const outcome of await acquired) expect(outcome).to.be.oneOf(["released", "partial"]);
    await noLockKeys(fleet.nodes);
  });
});
