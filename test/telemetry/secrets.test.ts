import { expect } from "chai";
import * as fc from "fast-check";
import { LockManager, type Lock } from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { instrumentQuorate } from "../../src/opentelemetry/index.js";
import { Eavesdropper } from "../support/eavesdropper.js";
import { Sdk } from "../support/opentelemetry.js";

type Use = (locks: LockManager, others: LockManager, ids: string[]) => Promise<void>;

const acquired =
  (acquire: (locks: LockManager) => Promise<Lock>): Use =>
  async (locks, others, ids) => {
    await using lock = await acquire(locks);
    ids.push(lock.ownerId);
    await lock.extend();
    // Contended, or beside it.
    const other = await acquire(others).catch(() => undefined);
    if (other !== undefined) ids.push(other.ownerId);
    await other?.release();
  };

/** Every kind of lock, and every way to come to one. */
const USES: Readonly<Record<string, Use>> = {
  exclusive: acquired((locks) => locks.acquire("exclusive", { waitMs: 30 })),
  shared: acquired((locks) => locks.acquire("shared", { mode: "shared", waitMs: 30 })),
  owned: acquired((locks) => locks.acquire("owned", { owner: "job", waitMs: 30 })),
  several: acquired((locks) => locks.acquire(["one", "two"], { waitMs: 30 })),
  redisson: acquired((locks) => locks.acquire("redisson", { layout: "redisson", waitMs: 30 })),
  timestamp: acquired((locks) => locks.acquire("timestamp", { layout: "timestamp", waitMs: 30 })),
  permit: acquired((locks) => locks.semaphore("permit", { permits: 1 }).acquire({ waitMs: 30 })),
  request: async (locks, _, ids) => {
    await locks.request("request", ({ ownerId }) => void ids.push(ownerId));
  },
  steal: async (locks, others, ids) => {
    const lock = await others.acquire("steal");
    ids.push(lock.ownerId);
    await locks.request("steal", { steal: true }, ({ ownerId }) => void ids.push(ownerId));
    await lock.release();
  },
  adopt: async (locks, others, ids) => {
    const given = await others.acquire("adopt");
    ids.push(given.ownerId);
    await using lock = await locks.adopt(given.toJSON());
    ids.push(lock.ownerId);
  },
  lost: async (locks, _, ids) => {
    const lock = await locks.acquire("lost", { maxHoldMs: 5 });
    ids.push(lock.ownerId);
    await new Promise((resolve) => locks.once("lost", resolve));
  },
};

describe("No message, span or metric", () => {
  it("holds an ownerId, whatever the kinds of locks and their order", async () => {
    await using sdk = await Sdk.start();
    const stop = instrumentQuorate();
    const uses = fc.array(fc.constantFrom(...Object.keys(USES)), { minLength: 1, maxLength: 6 });
    const all = new Set<string>();
    await fc.assert(
      fc.asyncProperty(uses, async (names) => {
        using heard = new Eavesdropper();
        const nodes = memoryNodes(3);
        await using locks = new LockManager(nodes, { label: "told" });
        await using others = new LockManager(nodes, { label: "told" });
        await Promise.all([locks.ready(), others.ready()]);
        const ids: string[] = [];
        for (const name of names) {
          all.add(name);
          await USES[name]?.(locks, others, ids);
        }
        const spans = sdk.spans.map(({ name, attributes, events, status }) =>
          JSON.stringify({ name, attributes, events, status }),
        );
        expect(heard.published.length).to.be.above(5);
        expect(ids.length).to.be.at.least(names.length);
        for (const text of [...heard.published, ...spans, await sdk.scrape()]) {
          for (const id of ids) expect(text).to.not.include(id);
        }
      }),
      {
        numRuns: 12,
        examples: [[Object.keys(USES).slice(0, 6)], [Object.keys(USES).slice(6)]],
      },
    );
    expect(all).to.deep.equal(new Set(Object.keys(USES)));
    stop();
  }).timeout(60_000);
});
