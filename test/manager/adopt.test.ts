import { expect } from "chai";
import { ClosedError, LockLostError, LockManager } from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { rejectionOf } from "../support/settle.js";

const OPTIONS = { ttlMs: 20_000, nodeTimeoutMs: 5_000 };

/** What ends an adoption that is under way, and what its caller is told. */
const ENDS: readonly {
  readonly title: string;
  readonly end: (taker: LockManager, controller: AbortController) => Promise<unknown>;
  readonly isTold: (error: unknown) => void;
}[] = [
  {
    title: "a steal in its process",
    end: (taker) => taker.request("name", { steal: true }, (lock) => lock.assertHeld()),
    isTold: (error) => {
      expect(error).to.be.instanceOf(LockLostError).and.to.include({ reason: "stolen" });
    },
  },
  {
    title: "the closing of its manager",
    end: (taker) => taker.close(),
    isTold: (error) => expect(error).to.be.instanceOf(ClosedError),
  },
  {
    title: "its own signal",
    end: async (_, controller) => controller.abort("enough"),
    isTold: (error) => expect(error).to.equal("enough"),
  },
];

describe("adopt", () => {
  for (const { title, end, isTold } of ENDS) {
    it(`is told the true reason where it was ended by ${title}`, async () => {
      const nodes = memoryNodes(3);
      await using giver = new LockManager(nodes, OPTIONS);
      await using taker = new LockManager(nodes, OPTIONS);
      await Promise.all([giver.ready({ all: true }), taker.ready({ all: true })]);
      const json = (await giver.acquire("name")).handOver();
      for (const node of nodes) node.delay(20);
      const controller = new AbortController();
      const adopting = rejectionOf(taker.adopt(json, { signal: controller.signal }));
      const ended = end(taker, controller);
      isTold(await adopting);
      await ended;
    });
  }
});
