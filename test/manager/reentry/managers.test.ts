import { expect } from "chai";
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
});
