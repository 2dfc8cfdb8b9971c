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

  /** A lock that was given away, and somebody who may take it over. */
  async function given(ttlMs: number, minHoldMs = 0) {
    const nodes = memoryNodes(3);
    const giver = new LockManager(nodes, OPTIONS);
    const taker = new LockManager(nodes, { ...OPTIONS, ttlMs: 4_000 });
    await Promise.all([giver.ready({ all: true }), taker.ready({ all: true })]);
    const json = (await giver.acquire("name", { ttlMs, minHoldMs })).handOver();
    const close = async (): Promise<void> => {
      await Promise.all([giver.close(), taker.close()]);
    };
    return { nodes, giver, taker, json, [Symbol.asyncDispose]: close };
  }

  it("goes on with the giver's ttl, unless it has one of its own", async () => {
    for (const [ownMs, ttlMs] of [
      [undefined, 15_000],
      [7_000, 7_000],
    ] as const) {
      await using both = await given(15_000);
      const lock = await both.taker.adopt(both.json, { ttlMs: ownMs });
      expect(lock.remainingMs).to.be.within(ttlMs - 3_000, ttlMs);
    }
  });

  for (const { title, ofGiver, ofTaker, least, most } of [
    { title: "what is left of the giver's", ofGiver: 5_000, ofTaker: 0, least: 1_000, most: 5_000 },
    {
      title: "its own, as that is more",
      ofGiver: 5_000,
      ofTaker: 8_000,
      least: 8_000,
      most: 8_000,
    },
    {
      title: "its own, as there is no other",
      ofGiver: 0,
      ofTaker: 3_000,
      least: 3_000,
      most: 3_000,
    },
    { title: "none", ofGiver: 0, ofTaker: undefined, least: 0, most: 0 },
  ]) {
    it(`D2: goes on with a minimum hold: ${title}`, async () => {
      await using both = await given(15_000, ofGiver);
      const lock = await both.taker.adopt(both.json, { minHoldMs: ofTaker });
      // What is handed on again says what there is.
      expect(lock.handOver().minHoldMs ?? 0).to.be.within(least && least - 1_000, most);
    });
  }

  it("D2: names what is left of the minimum hold, and the ttl that is too short for it, and can be tried again", async () => {
    await using both = await given(15_000, 5_000);
    const json = { ...both.json, minHoldMs: 4_900 };
    const error = await rejectionOf(both.taker.adopt(json, { ttlMs: 2_000 }));
    expect(error).to.be.instanceOf(RangeError);
    const message = "`json.minHoldMs` must be less than `ttlMs` (2000) less drift (1978), got 4900";
    expect(error).to.have.property("message").that.includes(message);
    expect((await both.taker.adopt(json)).isHeld).to.equal(true);
  });

  it("tells a lock that another holds from one that has ended", async () => {
    await using both = await given(15_000);
    const { nodes, giver, taker, json } = both;
    for (const node of nodes) await node.command("DEL", json.lockKey);
    const expired = await rejectionOf(taker.adopt(json));
    expect(expired).to.include({ code: "QUORATE_NOT_ADOPTABLE", reason: "expired" });
    const other = await giver.acquire("name");
    const taken = await rejectionOf(taker.adopt(json));
    expect(taken).to.include({ code: "QUORATE_NOT_ADOPTABLE", reason: "taken" });
    other.assertHeld();
    await other.release();
  });

  it("asks nobody if its signal was aborted before", async () => {
    await using both = await given(15_000);
    const signal = AbortSignal.abort("too late");
    expect(await rejectionOf(both.taker.adopt(both.json, { signal }))).to.equal("too late");
    const lock = await both.taker.adopt(both.json);
    expect(lock.fencingToken).to.be.above(both.json.fencingToken);
  });
});
