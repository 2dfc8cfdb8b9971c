import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";

const PERMITS = 2;

/** Who arrives at which node in which order. */
const ORDERS = [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
];

/** A node lets in whoever finds fewer than the permits. */
const COUNT = /* lua */ `
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
return redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])`;

describe("Three that want one of two permits, and reach three nodes in three orders", () => {
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3, links: true });
  });
  after(() => fleet.stop());

  it("are all let in where each node counts its holders", async () => {
    const grants = [0, 0, 0];
    for (const [node, order] of ORDERS.entries()) {
      for (const who of order) {
        const counting = ["EVAL", COUNT, 1, "counted", PERMITS, `${who}`, Date.now()] as const;
        grants[who] = at(grants, who) + Number(await at(fleet.nodes, node).command(...counting));
      }
    }
    expect(grants, "a quorum for each").to.deep.equal([2, 2, 2]);
  });

  it("K1: are let in two at a time by permits", async () => {
    const managers: LockManager[] = [];
    for (const who of [0, 1, 2]) {
      const links = await fleet.linksFor(`client ${who}`);
      const urls = links.map(({ url }) => url);
      const locks = new LockManager(urls, PATIENT);
      managers.push(locks);
      await allNodes(locks);
      await locks.request(`first of ${who}`, () => {});
      for (const [node, order] of ORDERS.entries()) {
        at(links, node).delay(40 * order.indexOf(who), { direction: "toServer" });
      }
    }
    const semaphores = managers.map((locks) => locks.semaphore("ordered", { permits: PERMITS }));
    const locks = await Promise.all(semaphores.map((semaphore) => semaphore.tryAcquire()));
    const held = locks.filter((lock) => lock !== null);
    expect(held.length).to.be.at.most(PERMITS);
    expect(new Set(held.map(({ permit }) => permit)).size).to.equal(held.length);
    // Whoever was not let in waits, and then is.
    const waiting = locks.flatMap((lock, who) => (lock === null ? at(semaphores, who) : []));
    for (const lock of held) setTimeout(() => void lock.release(), 300);
    // It may have been all of them: each had another permit first, on another node.
    await Promise.all(waiting.map((semaphore) => semaphore.request(() => {})));
    await Promise.all(managers.map((manager) => manager.close()));
    await noLockKeys(fleet.nodes);
  });
});
