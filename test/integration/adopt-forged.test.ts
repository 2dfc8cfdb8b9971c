import { expect } from "chai";
import * as fc from "fast-check";
import { LockManager, type GivenLock, type Lock, type LockLayout } from "../../src/index.js";
import { MARKERS } from "../../src/protocol/markers.js";
import { systemEntropy } from "../../src/runtime/system.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, valueOf } from "../support/nodes.js";
import { rejectionOf } from "../support/settle.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** Not renewed: for longer than a test may take. */
const LONG = { ttlMs: 120_000, renew: false };

type Acquire = (locks: LockManager, name: string) => Promise<Lock>;

const plain: Acquire = (locks, name) => locks.acquire(name, LONG);

/** Every kind of lock, with what is known to everybody about it. */
const KINDS: readonly (readonly [kind: string, acquire: Acquire, layout?: LockLayout])[] = [
  ["plain", plain],
  ["shared", (locks, name) => locks.acquire(name, { ...LONG, mode: "shared" })],
  ["owned", (locks, name) => locks.acquire(name, { ...LONG, owner: "alice" })],
  ["permit", (locks, name) => locks.semaphore(name, { permits: 2 }).acquire(LONG)],
  ["several", (locks, name) => locks.acquire([name, `${name} too`], LONG)],
  ["redisson", plain, "redisson"],
  ["timestamp", plain, "timestamp"],
];

const OPTIONS = { ttlMs: 30_000, maxTtlMs: 120_000, nodeTimeoutMs: 5_000 };

describe("A forged JSON", function () {
  this.timeout(90_000);
  let fleet: RedisFleet;
  let forger: LockManager;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 1 });
    forger = new LockManager(fleet.urls, OPTIONS);
    await allNodes(forger);
  });
  after(async () => {
    await forger.close();
    await fleet.stop();
  });

  /** All that somebody can say who knows the shape, the name, and what anybody can see, but no secret. */
  function forgeries(name: string, seen: readonly string[]): fc.Arbitrary<GivenLock> {
    const entropy = systemEntropy();
    const id = fc.integer().map(() => entropy.id());
    const marked = fc
      .tuple(
        fc.constantFrom(...Object.values(MARKERS)),
        fc.oneof(fc.string(), id, fc.constant("2")),
      )
      .map(([marker, rest]) => marker + rest);
    const known = fc.constantFrom(...seen, "", "holder", "alice", "0", "1");
    const ownerId = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...seen) },
      { weight: 1, arbitrary: id },
      { weight: 1, arbitrary: id.map((text) => `${text}:holder`) },
      { weight: 1, arbitrary: marked },
      { weight: 1, arbitrary: known },
      { weight: 1, arbitrary: fc.tuple(id, known).map(([text, rest]) => `${text}:${rest}`) },
      { weight: 1, arbitrary: fc.string() },
    );
    const nowUs = Date.now() * 1_000;
    const fencingToken = fc.oneof(
      fc.constantFrom(0, Number.MAX_SAFE_INTEGER, nowUs, nowUs + 29_000_000),
      fc.maxSafeNat(),
    );
    return fc.record({
      kind: fc.constant("quorate-lock" as const),
      version: fc.constant(1 as const),
      name: fc.constant(name),
      lockKey: fc.constant(`lock:${name}`),
      mode: fc.constant("exclusive" as const),
      ownerId,
      fencingToken,
      ttlMs: fc.integer({ min: 10, max: 60_000 }),
      minHoldMs: fc.option(fc.nat(60_000), { nil: undefined }),
    });
  }

  const holderOf = (layout?: LockLayout): LockManager => {
    return new LockManager(fleet.urls, { ...OPTIONS, label: "holder", layout });
  };

  for (const [kind, acquire, layout] of KINDS) {
    it(`gets no lock that somebody holds (${kind}), nor harms it or the tokens of its name`, async () => {
      const name = `held ${kind}`;
      await using holder = holderOf(layout);
      const lock = await acquire(holder, name);
      const node = at(fleet.nodes, 0);
      const type = (await node.command("TYPE", `lock:${name}`)) as string;
      const text = type === "string" ? ((await valueOf(node, `lock:${name}`)) ?? "") : "";
      // A plain lock's key holds its secret.
      const isSecret = text === ownerIdOf(lock);
      const report = await forger.inspect(name);
      const seen = [...(isSecret ? [] : [text]), JSON.stringify(report)];
      for (const { fingerprint } of report.holders) seen.push(fingerprint);
      await fc.assert(
        fc.asyncProperty(forgeries(name, seen), async (json) => {
          await rejectionOf(forger.adopt(json));
          expect(lock.isHeld).to.equal(true);
        }),
        { numRuns: 150 },
      );
      await lock.extend();
      expect(await lock.release()).to.equal("released");
      const next = await acquire(holder, name);
      if (lock.fencingToken !== undefined) {
        expect(next.fencingToken).to.be.greaterThan(lock.fencingToken);
        expect(next.fencingToken).to.be.lessThan((Date.now() + 120_000) * 1_000);
      }
      await next.release();
    });
  }

  it("gets nothing where a name is kept for a process that waits", async () => {
    const node = at(fleet.nodes, 0);
    const inbox = systemEntropy().id();
    await node.command("SET", "lock:turn", `${MARKERS.turn}${inbox}`, "PX", LONG.ttlMs);
    const kept = [`${MARKERS.turn}${inbox}`, inbox];
    await fc.assert(
      fc.asyncProperty(forgeries("turn", kept), async (json) => {
        await rejectionOf(forger.adopt(json));
        expect(await valueOf(node, "lock:turn")).to.equal(kept[0]);
      }),
      { numRuns: 150 },
    );
  });

  it("that changes one field of a real one gets nothing, and the real one still does", async () => {
    await using holder = holderOf();
    const json = (await holder.acquire("real", LONG)).handOver();
    const { ownerId } = json;
    const otherIds = fc.oneof(
      fc.constantFrom(ownerId.slice(0, 22), `${ownerId}x`, ownerId.slice(1), ` ${ownerId}`),
      fc.nat(21).map((at) => {
        const other = ownerId.charAt(at) === "A" ? "Q" : "A";
        return ownerId.slice(0, at) + other + ownerId.slice(at + 1);
      }),
    );
    const changed = fc.oneof(
      otherIds.map((text) => ({ ...json, ownerId: text })),
      fc.string().map((text) => ({ ...json, kind: text })),
      fc.integer({ min: 2 }).map((version) => ({ ...json, version })),
      fc.constantFrom("other", "real ", "").map((name) => ({ ...json, name })),
      fc
        .constantFrom("lock:other", "quorate:fence:{lock:real}")
        .map((lockKey) => ({ ...json, lockKey })),
      fc.constantFrom("shared", "x", null).map((mode) => ({ ...json, mode })),
      fc
        .constantFrom(-1, 1.5, "1", Number.NaN, undefined)
        .map((fencingToken) => ({ ...json, fencingToken })),
      fc.constantFrom(0, -1, 1.5, "10", 1e9).map((ttlMs) => ({ ...json, ttlMs })),
      fc.constantFrom(-1, 1.5, "10", null, 1e9).map((minHoldMs) => ({ ...json, minHoldMs })),
    );
    await fc.assert(
      fc.asyncProperty(changed, async (forged) => {
        const error = (await rejectionOf(forger.adopt(forged as GivenLock))) as Error;
        expect(error.message).to.not.include(ownerId.slice(0, 20));
      }),
      { numRuns: 300 },
    );
    const adopted = await forger.adopt(json);
    expect(adopted.fencingToken).to.be.greaterThan(json.fencingToken ?? 0);
    await adopted.release();
  });
});
