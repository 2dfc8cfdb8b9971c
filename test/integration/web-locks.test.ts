import { expect } from "chai";
import { LockManager, type LockManagerOptions } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, noLockKeys } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { PLACES } from "../support/quorums.js";
import { CASES } from "../support/web-locks/cases.js";
import { EXPECTED, QUORATE } from "../support/web-locks/expected.js";
import type { WebLocks } from "../support/web-locks/web-locks.js";

/** What makes a manager wait as the Web Locks API does. */
const AS_WEB_LOCKS: LockManagerOptions = {
  ...PATIENT,
  waitMs: Number.POSITIVE_INFINITY,
  fair: true,
};

for (const { title, nodeCount, deadCount } of PLACES) {
  describe(`The Web Locks API ${title}`, () => {
    let fleet: RedisFleet;
    let locks: LockManager;
    /** All at once: each has names of its own, and most of their time is waiting. */
    let seen: Readonly<Record<string, Promise<readonly unknown[]>>>;

    before(async () => {
      fleet = await RedisFleet.start({ nodes: nodeCount });
      locks = new LockManager(fleet.urls, { ...AS_WEB_LOCKS, lossGraceMs: 100 });
      // All of a new deployment have to be seen once.
      await allNodes(locks);
      await locks.request("first", () => {});
      for (const node of fleet.nodes.slice(0, deadCount)) await node.kill();
      const asWebLocks: WebLocks = locks;
      seen = Object.fromEntries(
        Object.entries(CASES).map(([name, run]) => {
          const seeing = run(asWebLocks, name);
          // Told by its own test.
          seeing.catch(() => {});
          return [name, seeing];
        }),
      );
    });
    after(async () => {
      await Promise.allSettled(Object.values(seen));
      await noLockKeys(fleet.nodes.slice(deadCount));
      await locks.close();
      await fleet.stop();
    });

    for (const name of Object.keys(CASES)) {
      const deviation = QUORATE[name];
      it(
        deviation === undefined ? name : `${name}: otherwise, because ${deviation.because}`,
        async () => {
          expect(await seen[name]).to.deep.equal(deviation?.sees ?? EXPECTED[name]);
        },
      );
    }
  });
}
