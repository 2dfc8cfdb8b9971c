import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockLostError, LockManager, type AcquireOptions, type Lock } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { brief } from "../support/brief.js";
import { eventually, rejectionWith } from "../support/settle.js";

/** More than a busy machine stands still for. */
const TTL_MS = 600;
const LONGER_MS = 1_800;
/** What the caller can count on, less the drift and what the call took. */
const PROMISED_MS = LONGER_MS - 100;

interface Kind {
  readonly title: string;
  hold(locks: LockManager, name: string, options: AcquireOptions): Promise<Lock>;
  /** One that is kept out. */
  ask(locks: LockManager, name: string): Promise<Lock>;
}

const plain: Kind["ask"] = (locks, name) => locks.acquire(name);

const KINDS: readonly Kind[] = [
  {
    title: "a plain lock",
    hold: (locks, name, options) => locks.acquire(name, options),
    ask: plain,
  },
  {
    title: "a reader",
    hold: (locks, name, options) => locks.acquire(name, { ...options, mode: "shared" }),
    ask: plain,
  },
  {
    title: "a permit",
    hold: (locks, name, options) => locks.semaphore(name, { permits: 1 }).acquire(options),
    ask: (locks, name) => locks.semaphore(name, { permits: 1 }).acquire(),
  },
  {
    title: "a lock of an owner",
    hold: (locks, name, options) => locks.acquire(name, { ...options, owner: "job-1" }),
    ask: (locks, name) => locks.acquire(name, { owner: "job-2" }),
  },
  {
    title: "a lock of several names",
    hold: (locks, name, options) => locks.acquire([name, `${name} too`], options),
    ask: plain,
  },
];

/** Keys of locks, and those beside them; nodes keep some other keys. */
function lockKeys(nodes: readonly MemoryNode[]): string[] {
  const all = nodes.flatMap((node) => node.keys());
  return all.filter((key) => /^lock:|kept/.test(key));
}

for (const [settings, options] of Object.entries({
  "with a margin": {},
  "without a margin": { clockStepMs: 0 },
  "in Redisson's layout": { layout: "redisson" },
  "in the layout of timestamps": { layout: "timestamp" },
} as const)) {
  describe(`lock.extend(ttlMs), ${settings}`, () => {
    const kinds = "layout" in options ? KINDS.slice(0, 1) : KINDS;
    let nodes: MemoryNode[];
    let locks: LockManager;
    let other: LockManager;

    beforeEach(async () => {
      nodes = memoryNodes(3);
      // A machine that stands still while nodes are new has to wait for the longest ttl.
      const times = { ...brief(TTL_MS), maxTtlMs: 5_000, waitMs: 10_000 };
      const all = { ...times, ...options, retry: { maxDelayMs: 50 } };
      locks = new LockManager(nodes, all);
      other = new LockManager(nodes, all);
      await Promise.all([locks.ready({ all: true }), other.ready({ all: true })]);
    });
    afterEach(() => Promise.all([locks.close(), other.close()]));

    /** Holds a lock that was extended while another client waits for it. */
    async function held(kind: Kind, renew: boolean) {
      const lock = await kind.hold(locks, kind.title, { renew });
      const waiting = kind.ask(other, kind.title).then((next) => {
        expect(lock.isHeld, `${kind.title}: both hold it`).to.equal(false);
        return next;
      });
      // At the latest it counts from here.
      const untilMs = performance.now() + PROMISED_MS;
      await lock.extend(LONGER_MS);
      expect(lock.remainingMs, kind.title).to.be.within(untilMs - performance.now(), LONGER_MS);
      return { kind, lock, waiting, untilMs };
    }

    it("keeps any kind of lock for as long as that", async () => {
      const all = await Promise.all(kinds.map((kind) => held(kind, false)));
      for (const { kind, lock, waiting, untilMs } of all) {
        await (await waiting).release();
        expect(performance.now(), kind.title).to.be.at.least(untilMs);
        await rejectionWith(LockLostError, lock.extend(LONGER_MS));
      }
      await eventually("nothing is left of them", () => lockKeys(nodes).length === 0);
    });

    it("is not shortened by renewals, which are for less, and go on", async () => {
      const all = await Promise.all(kinds.map((kind) => held(kind, true)));
      await sleep(2 * TTL_MS);
      for (const { kind, lock, untilMs } of all) {
        expect(lock.remainingMs, kind.title).to.be.at.least(untilMs - performance.now());
      }
      await sleep(LONGER_MS - 2 * TTL_MS);
      for (const { kind, lock, waiting } of all) {
        expect(lock.remainingMs, kind.title).to.be.within(1, TTL_MS);
        expect(await lock.release()).to.equal("released");
        await (await waiting).release();
      }
      await eventually("nothing is left of them", () => lockKeys(nodes).length === 0);
    });
  });
}

describe("A holder that dies after lock.extend(ttlMs)", () => {
  it("is kept for as long as it was promised, and not for the margin", async () => {
    const nodes = memoryNodes(3);
    const options = { ...brief(TTL_MS), clockStepMs: 60_000, retry: { maxDelayMs: 50 } };
    await using locks = new LockManager(nodes, options);
    await using other = new LockManager(nodes, options);
    const lock = await locks.acquire("name");
    await lock.extend(LONGER_MS);
    const startMs = performance.now();
    // To nobody.
    lock.handOver();
    await using _ = await other.acquire("name", { waitMs: 20_000 });
    expect(performance.now() - startMs).to.be.within(PROMISED_MS, 3 * LONGER_MS);
  });
});
