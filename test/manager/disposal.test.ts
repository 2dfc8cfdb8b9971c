import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";

const KEY = "lock:name";

/** Long enough that nothing has reached a node where it was not waited for, ms. */
const DELAY_MS = 40;

/** How each is acquired whose end one may leave to `await using`. */
const HELD: Readonly<Record<string, (locks: LockManager) => Promise<AsyncDisposable>>> = {
  "a lock": (locks) => locks.acquire("name"),
  "a shared lock": (locks) => locks.acquire("name", { mode: "shared" }),
  "a lock of an owner": (locks) => locks.acquire("name", { owner: "me" }),
  "a lock of several names": (locks) => locks.acquire(["name", "other"]),
  "a permit": (locks) => locks.semaphore("name", { permits: 1 }).acquire(),
  "a term": async (locks) => {
    const { value } = await locks.elect("name").next();
    if (value === undefined) throw new Error("no term");
    return value;
  },
  "an election": async (locks) => {
    const election = locks.elect("name");
    await election.next();
    return election;
  },
  "a lock manager": async (locks) => {
    await locks.acquire("name");
    return locks;
  },
};

describe("await using", () => {
  for (const [what, acquired] of Object.entries(HELD)) {
    it(`goes on when ${what} has been released on a quorum of nodes, and not before`, async () => {
      const nodes = memoryNodes(3);
      await using locks = new LockManager(nodes, { ttlMs: 20_000, nodeTimeoutMs: 5_000 });
      const countOfKeys = (): number => nodes.filter((node) => node.keys().includes(KEY)).length;
      {
        await using _ = await acquired(locks);
        while (countOfKeys() < nodes.length) await new Promise((resolve) => setImmediate(resolve));
        for (const node of nodes) node.delay(DELAY_MS);
      }
      expect(countOfKeys()).to.be.at.most(1);
    });
  }
});
