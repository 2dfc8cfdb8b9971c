import { once } from "node:events";
import { expect } from "chai";
import { LockLostError } from "../../../src/api/errors.js";
import { ReentryError } from "../../../src/api/reentry-error.js";
import { LockManager } from "../../../src/manager/lock-manager.js";
import { memoryNodes } from "../../../src/memory/index.js";
import { rejectionWith } from "../../support/settle.js";
import { ownerIdOf } from "../../../src/manager/lock.js";

describe("reentrancy with several lock managers in one process", () => {
  it("joins the locks of its own manager only, also where they hold each other's names", async () => {
    await using one = new LockManager(memoryNodes(3));
    await using other = new LockManager(memoryNodes(3));
    await one.request("a", { reentrant: true }, async (outer) => {
      await rejectionWith(ReentryError, other.acquire("a", { reentrant: true }));
      await other.request("a", { reentrant: true }, async (inner) => {
        expect(ownerIdOf(inner)).to.not.equal(ownerIdOf(outer));
        const [ofOne, ofOther] = await Promise.all([
          one.acquire("a", { reentrant: true }),
          other.acquire("a", { reentrant: true }),
        ]);
        expect(ownerIdOf(ofOne)).to.equal(ownerIdOf(outer));
        expect(ownerIdOf(ofOther)).to.equal(ownerIdOf(inner));
        await Promise.all([ofOne.release(), ofOther.release()]);
      });
    });
  });

  for (const { what, end } of [
    { what: "released", end: undefined },
    { what: "lost", end: (locks: LockManager) => locks.forceRelease("a") },
  ]) {
    it(`what a request left behind locks the name again once its callback has ended: ${what}`, async () => {
      const nodes = memoryNodes(3);
      await using locks = new LockManager(nodes, { ttlMs: 1_000 });
      await using other = new LockManager(nodes);
      let leave = (): void => {};
      const left = new Promise<void>((resolve) => (leave = resolve));
      let later: Promise<number> | undefined;
      let before = 0;
      const again = (): Promise<number> =>
        locks.request("a", { reentrant: true }, (lock) => lock.fencingToken);
      const request = locks.request("a", { reentrant: true }, async ({ signal, fencingToken }) => {
        before = fencingToken;
        later = left.then(again);
        if (end === undefined) return;
        await end(other);
        if (!signal.aborted) await once(signal, "abort");
        // While it runs, it has lost its lock.
        await rejectionWith(LockLostError, again());
      });
      if (end === undefined) await request;
      else await rejectionWith(LockLostError, request);
      leave();
      expect(await later).to.be.greaterThan(before);
    });
  }
});
