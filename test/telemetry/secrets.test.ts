import { expect } from "chai";
import * as fc from "fast-check";
import { LockManager, type Lock, type LockLayout } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { instrumentQuorate } from "../../src/integrations/opentelemetry/index.js";
import { Eavesdropper } from "../support/eavesdropper.js";
import { PATIENT } from "../support/patient.js";
import { Sdk } from "../support/opentelemetry.js";
import { ownerIdOf } from "../../src/manager/lock.js";

type Use = (
  locks: LockManager,
  others: LockManager,
  ids: string[],
  nodes: readonly MemoryNode[],
) => Promise<void>;

const OPTIONS = { ...PATIENT, label: "told" };

const acquired =
  (acquire: (locks: LockManager, options: { waitMs?: number }) => Promise<Lock>): Use =>
  async (locks, others, ids) => {
    await using lock = await acquire(locks, {});
    ids.push(ownerIdOf(lock));
    await lock.extend();
    // Contended, or beside it.
    const other = await acquire(others, { waitMs: 30 }).catch(() => undefined);
    if (other !== undefined) ids.push(ownerIdOf(other));
    await other?.release();
  };

const inLayout =
  (layout: LockLayout): Use =>
  async (_locks, _others, ids, nodes) => {
    await using locks = new LockManager(nodes, { ...OPTIONS, layout });
    await using others = new LockManager(nodes, { ...OPTIONS, layout });
    await Promise.all([locks.ready(), others.ready()]);
    const use = acquired((ours, own) => ours.acquire(layout, own));
    await use(locks, others, ids, nodes);
  };

/** Every kind of lock, and every way to come to one. */
const USES: Readonly<Record<string, Use>> = {
  exclusive: acquired((locks, own) => locks.acquire("exclusive", own)),
  shared: acquired((locks, own) => locks.acquire("shared", { ...own, mode: "shared" })),
  owned: acquired((locks, own) => locks.acquire("owned", { ...own, owner: "job" })),
  several: acquired((locks, own) => locks.acquire(["one", "two"], own)),
  redisson: inLayout("redisson"),
  timestamp: inLayout("timestamp"),
  permit: acquired((locks, own) => locks.semaphore("permit", { permits: 1 }).acquire(own)),
  request: async (locks, _, ids) => {
    await locks.request("request", (lock) => void ids.push(ownerIdOf(lock)));
  },
  steal: async (locks, others, ids) => {
    const lock = await others.acquire("steal");
    ids.push(ownerIdOf(lock));
    await locks.request("steal", { steal: true }, (lock) => void ids.push(ownerIdOf(lock)));
    await lock.release();
  },
  adopt: async (locks, others, ids) => {
    const given = await others.acquire("adopt");
    ids.push(ownerIdOf(given));
    await using lock = await locks.adopt(given.handOver());
    ids.push(ownerIdOf(lock));
  },
  lost: async (locks, _, ids) => {
    const lock = await locks.acquire("lost", { maxHoldMs: 5 });
    ids.push(ownerIdOf(lock));
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
        await using locks = new LockManager(nodes, OPTIONS);
        await using others = new LockManager(nodes, OPTIONS);
        await Promise.all([locks.ready(), others.ready()]);
        const ids: string[] = [];
        for (const name of names) {
          all.add(name);
          await USES[name]?.(locks, others, ids, nodes);
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
