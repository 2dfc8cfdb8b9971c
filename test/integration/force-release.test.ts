import { expect } from "chai";
import { MixedLayoutError } from "../../src/api/node-errors.js";
import { type Lock, type LockLayout, LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys } from "../support/nodes.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";

/** Locks here are not renewed: they last for longer than a test takes. */
const OPTIONS = { ttlMs: 60_000, nodeTimeoutMs: 2_500 };

interface Kind {
  readonly title: string;
  readonly layout?: LockLayout;
  readonly take: (locks: LockManager, name: string) => Promise<Lock>;
}

const plain: Kind["take"] = (locks, name) => locks.acquire(name, { renew: false });

const KINDS: readonly Kind[] = [
  { title: "a plain lock", take: plain },
  {
    title: "a reader",
    take: (locks, name) => locks.acquire(name, { mode: "shared", renew: false }),
  },
  {
    title: "several names",
    take: (locks, name) => locks.acquire([name, `${name}-too`], { renew: false }),
  },
  {
    title: "a hold of an owner",
    take: (locks, name) => locks.acquire(name, { owner: "job", renew: false }),
  },
  {
    title: "a permit",
    take: (locks, name) => locks.semaphore(name, { permits: 2 }).acquire({ renew: false }),
  },
  { title: "a timestamp", layout: "timestamp", take: plain },
  { title: "a timestamp in seconds", layout: "timestamp-seconds", take: plain },
];

describe("H2: a lock that was ended by force is over", function () {
  this.timeout(60_000);
  for (const { title, layout, take } of KINDS) {
    const options = { ...OPTIONS, layout };

    it(`${title}: it shows as one holder, and is not held afterwards`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      await using locks = new LockManager(fleet.urls, options);
      await using operator = new LockManager(fleet.urls, options);
      await Promise.all([allNodes(locks), allNodes(operator)]);
      const lock = await take(locks, "name");
      await eventually("one holder on all nodes", async () => {
        const { holders } = await operator.inspect("name");
        return holders.some(({ nodes }) => nodes.length === 3);
      });
      const { state, holders } = await operator.inspect("name");
      expect(state).to.equal("held");
      expect(holders).to.have.length(1);
      const { fingerprint } = at(holders, 0);
      const result = await operator.forceRelease("name", { fingerprint });
      expect(result).to.include({ isQuorate: true }).and.have.property("removed").of.length(1);
      await rejectionOf(lock.extend());
      expect(lock.isHeld).to.equal(false);
      await lock.release();
      await noLockKeys(fleet.nodes);
      await using next = await take(operator, "name");
      expect(next.isHeld).to.equal(true);
    });

    it(`${title}: not even where an extend of it is on its way, and a node out of reach`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const [links, reach] = [await fleet.linksFor("holder"), await fleet.linksFor("operator")];
      const urls = (all: readonly { readonly url: string }[]) => all.map(({ url }) => url);
      await using locks = new LockManager(urls(links), options);
      await using operator = new LockManager(urls(reach), options);
      await Promise.all([allNodes(locks), allNodes(operator)]);
      await at(reach, 2).refuse();
      await eventually("the operator reaches a quorum", () => {
        return operator.nodes.map(({ state }) => state).join(" ") === "ready ready down";
      });
      const lock = await take(locks, "name");
      await eventually("one holder", async () => {
        const { holders } = await operator.inspect("name");
        return holders.some(({ nodes }) => nodes.length === 2);
      });
      // The round reaches the first node later than the operator does.
      at(links, 0).delay(150, { direction: "toServer" });
      const extended = lock.extend().catch(() => undefined);
      const { isQuorate } = await operator.forceRelease("name");
      await extended;
      at(links, 0).delay(0);
      expect(isQuorate).to.equal(true);
      await rejectionOf(lock.extend());
      expect(lock.isHeld).to.equal(false);
    });
  }

  it("a plain preemption leaves a lock in another layout alone", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using other = new LockManager(fleet.urls, OPTIONS);
    await allNodes(other);
    for (const layout of ["timestamp", "timestamp-seconds"] as const) {
      await using locks = new LockManager(fleet.urls, { ...OPTIONS, layout });
      await allNodes(locks);
      await using lock = await locks.acquire("name", { renew: false });
      // As a server does that was slow: it reads its clock some time after the instant that an expiry counts from.
      for (const node of fleet.nodes) {
        const leftMs = Number(await node.command("PTTL", "lock:name"));
        if (leftMs > 0) await node.command("PEXPIRE", "lock:name", leftMs - 300);
      }
      const stolen = other.request("name", { steal: true }, () => "granted");
      const error = await rejectionWith(MixedLayoutError, stolen);
      expect(error).to.include({ found: layout, expected: "redlock" });
      await lock.extend();
    }
  });
});
