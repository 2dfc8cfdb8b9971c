import { expect } from "chai";
import { aborted } from "../support/settle.js";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { PATIENT } from "../support/patient.js";
import { allHold, allNodes, holdByHand, lockKeys, noLockKeys, valueOf } from "../support/nodes.js";

/** So long that no key of these tests ever runs out by itself. */
const OPTIONS = { ...PATIENT, ttlMs: 60_000, renew: false };

/** For what waits for frozen nodes, and comes to the same if others are silent, too. */
const SOON = { ...OPTIONS, nodeTimeoutMs: 300 };

describe("R1: what a release says, on real servers", () => {
  let fleet: RedisFleet;
  let locks: LockManager;
  let hasty: LockManager;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 5 });
    locks = new LockManager(fleet.urls, OPTIONS);
    hasty = new LockManager(fleet.urls, SOON);
    await Promise.all([allNodes(locks), allNodes(hasty)]);
  });

  afterEach(async () => {
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    await Promise.all([locks.close(), hasty.close()]);
    await fleet.stop();
  });

  const pause = (count: number): Promise<unknown> =>
    Promise.all(fleet.nodes.slice(0, count).map((node) => node.pause()));
  const forget = (count: number): Promise<unknown> =>
    Promise.all(fleet.nodes.slice(-count).map((node) => node.command("FLUSHALL")));
  const adoption = async (): Promise<void> => {
    await forget(5);
    await holdByHand(fleet.nodes, "name");
  };

  const ROWS: readonly [what: string, disturb: () => Promise<unknown>, says: string][] = [
    ["nothing happened", async () => {}, "released"],
    ["two nodes are frozen", () => pause(2), "released"],
    ["three nodes are frozen", () => pause(3), "partial"],
    ["all nodes are frozen", () => pause(5), "partial"],
    ["two nodes forgot", () => forget(2), "released"],
    ["three nodes forgot", () => forget(3), "expired"],
    ["two nodes are frozen and one forgot", () => Promise.all([pause(2), forget(1)]), "partial"],
    ["all forgot and another took it over", adoption, "expired"],
  ];

  for (const [what, disturb, says] of ROWS) {
    it(`${what}: ${says}, twice`, async () => {
      const lock = await (says === "partial" ? hasty : locks).acquire("name");
      await allHold(fleet.nodes, lock.name);
      await disturb();
      expect(await lock.release()).to.equal(says);
      expect(await lock.release()).to.equal(says);
      expect(lock.isHeld).to.equal(false);
    });
  }

  it("never touches the key of one who took it over", async () => {
    const lock = await locks.acquire("name");
    await adoption();
    const before = await Promise.all(fleet.nodes.map((node) => valueOf(node, "lock:name")));
    await lock.release();
    const after = await Promise.all(fleet.nodes.map((node) => valueOf(node, "lock:name")));
    expect(after).to.deep.equal(before);
    expect(await lockKeys(fleet.nodes)).to.have.length(5);
  });

  it("leaves nothing where a frozen majority comes back", async () => {
    const lock = await hasty.acquire("name");
    await pause(3);
    expect(await lock.release()).to.equal("partial");
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    await noLockKeys(fleet.nodes);
  });

  it("says expired of a lock whose validity is over, whatever the nodes hold", async () => {
    const lock = await locks.acquire("short", { ttlMs: 300 });
    await aborted(lock.signal);
    expect(await lock.release()).to.equal("expired");
  });
});
