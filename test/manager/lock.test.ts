import { expect } from "chai";
import { inspect } from "node:util";
import { LockLostError, QuorumUnreachableError } from "../../src/api/errors.js";
import { MisconfiguredError } from "../../src/api/node-errors.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import { LeasedLock, ownerIdOf } from "../../src/manager/lock.js";
import type { Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, nodesOfLock } from "../support/coordinator-bench.js";
import { settle } from "../support/manual-clock.js";
import { rejectionWith } from "../support/settle.js";
import { fault, free, granted } from "../support/votes.js";
import { listenOften, warningsOf } from "../support/warnings-of.js";

function heldLock(over: Partial<LeaseSettings> = {}, recordedMs?: number) {
  const bench = new CoordinatorBench();
  const lease = bench.lease({ renew: false, ...over });
  const lock = new LeasedLock(lease, nodesOfLock(bench, recordedMs));
  return { bench, lock };
}

const reasonOf = (lock: LeasedLock): LockLostError => lock.signal.reason as LockLostError;

describe("Lock", () => {
  it("shows what was granted", () => {
    const { bench, lock } = heldLock();
    expect(lock).to.include({ name: "invoice", mode: "exclusive", fencingToken: 7, isHeld: true });
    expect(ownerIdOf(lock)).to.equal(bench.nodes[0]?.last("acquire").operation.ownerId);
    expect(lock.remainingMs).to.equal(988);
  });

  it("has a signal that any number may listen to without a warning of Node.js", async () => {
    expect(await warningsOf(() => listenOften(heldLock().lock.signal))).to.deep.equal([]);
  });

  it("shows a list of names that nobody can change: it is released by it", () => {
    const { lock } = heldLock();
    expect(() => (lock.names as string[]).push("other")).to.throw(TypeError);
  });

  it("tells its end by the wall clock for others", () => {
    const { bench, lock } = heldLock();
    const nowMs = bench.clock.wallUs() / 1_000;
    expect(lock.validUntil).to.deep.equal(new Date(nowMs + 988));
  });

  it("aborts its signal with the loss, once, just before the end of its validity", () => {
    const { bench, lock } = heldLock();
    let abortCount = 0;
    lock.signal.addEventListener("abort", () => abortCount++);
    bench.clock.advance(982);
    expect([lock.signal.aborted, lock.isHeld]).to.deep.equal([false, true]);
    bench.clock.advance(1);
    expect([abortCount, lock.isHeld]).to.deep.equal([1, false]);
    expect(reasonOf(lock))
      .to.be.instanceOf(LockLostError)
      .and.include({ reason: "expired", lockName: "invoice" });
    expect(lock.signal).to.equal(lock.signal);
  });

  it("hands out an aborted signal where the loss came before anybody asked for one", () => {
    const { bench, lock } = heldLock();
    bench.clock.advance(988);
    expect(lock.signal.aborted).to.equal(true);
    expect(reasonOf(lock).reason).to.equal("expired");
  });

  it("hands out an aborted signal where only the clock knows of the loss yet", () => {
    const { bench, lock } = heldLock();
    bench.clock.stall(988);
    expect(lock.signal.aborted).to.equal(true);
    expect(reasonOf(lock).reason).to.equal("expired");
  });

  it("asserts by the clock, also right after a stall, and aborts the signal with it", () => {
    const { bench, lock } = heldLock();
    const { signal } = lock;
    lock.assertHeld();
    bench.clock.stall(988);
    expect(() => lock.assertHeld())
      .to.throw(LockLostError)
      .with.property("reason", "expired");
    expect(signal.aborted).to.equal(true);
  });

  it("asserts that it was released, without an abort", async () => {
    const { bench, lock } = heldLock();
    const { signal } = lock;
    const releasing = lock.release();
    bench.answer("release", [granted(), granted()]);
    expect(await releasing).to.equal("released");
    expect(() => lock.assertHeld())
      .to.throw(LockLostError)
      .with.property("reason", "released");
    expect(signal.aborted).to.equal(false);
    expect(lock.signal.aborted).to.equal(false);
    expect(lock).to.include({ isHeld: false, remainingMs: 0 });
  });

  it("rejects an extend that ran out again before its caller could go on", async () => {
    const { bench, lock } = heldLock();
    const extending = lock.extend();
    bench.answer("extend", [granted(), granted()]);
    bench.clock.stall(2_000);
    expect((await rejectionWith(LockLostError, extending)).reason).to.equal("expired");
  });

  it("extends by a full ttl from now", async () => {
    const { bench, lock } = heldLock();
    bench.clock.advance(500);
    const extending = lock.extend();
    bench.answer("extend", [granted(), granted()]);
    await extending;
    expect(lock.remainingMs).to.equal(988);
  });

  for (const { title, votes, reason } of [
    { title: "a quorum refused", votes: [free(), free()], reason: "taken" },
    { title: "its time is over by the answer", votes: undefined, reason: "expired" },
  ] as { title: string; votes: Vote[] | undefined; reason: string }[]) {
    it(`rejects an extend as lost where ${title}`, async () => {
      const { bench, lock } = heldLock();
      const extending = rejectionWith(LockLostError, lock.extend());
      if (votes === undefined) bench.clock.stall(988);
      bench.answer("extend", votes ?? [granted(), granted()]);
      expect((await extending).reason).to.equal(reason);
    });
  }

  it("rejects an extend that too few nodes answered, with their votes; the lock is still held", async () => {
    const { bench, lock } = heldLock();
    const extending = rejectionWith(QuorumUnreachableError, lock.extend());
    bench.answer("extend", [granted(), fault("timeout"), fault("disconnected", false)]);
    const error = await extending;
    expect(error.message).to.equal(
      'no quorum for "invoice" (b:1: the test says timeout): 1/3 granted, 1 timed out, 1 disconnected. ' +
        "Check the nodes: `error.votes` and `locks.nodes` have the reason for each",
    );
    expect(error.votes.map(({ node }) => node)).to.deep.equal(["a:1", "b:1", "c:1"]);
    expect(lock.isHeld).to.equal(true);
  });

  it("rejects an extend beyond what nodes have on record with both numbers: trying again is no use", async () => {
    const { bench, lock } = heldLock({}, 2_000);
    const extending = rejectionWith(MisconfiguredError, lock.extend(3_000));
    bench.answer("extend", [fault("misconfigured", false), fault("misconfigured", false)]);
    const { message, recordedTtl } = await extending;
    expect(recordedTtl).to.deep.equal({ neededMs: 3_000, recordedMs: 2_000 });
    expect(message).to.match(/^"invoice" would last 3000 ms, and the nodes allow for 2000 ms/);
    expect(lock.isHeld).to.equal(true);
  });

  it("rejects an extend of a released lock as released", async () => {
    const { lock } = heldLock();
    void lock.release();
    expect((await rejectionWith(LockLostError, lock.extend())).reason).to.equal("released");
  });

  it("extends to as long as it is asked to, and never to less than is left", async () => {
    const { bench, lock } = heldLock();
    for (const [ttlMs, leftMs] of [
      [5_000, 4_948],
      [2_000, 4_948],
      [undefined, 4_948],
      [100, 4_948],
    ] as const) {
      const extending = lock.extend(ttlMs);
      bench.answer("extend", [granted(), granted()]);
      await extending;
      expect(lock.remainingMs, `${ttlMs}`).to.equal(leftMs);
    }
    bench.clock.advance(4_942);
    expect(lock.isHeld, "a moment before").to.equal(true);
    bench.clock.advance(1);
    expect(reasonOf(lock).reason).to.equal("expired");
  });

  for (const [ttlMs, message, over = {}] of [
    [20_000, /`ttlMs` must be at most the `maxTtlMs` of the LockManager \(10000\), got 20000/],
    [9, /`ttlMs` must be at least 10 ms, got 9/],
    [1_000.5, /`ttlMs` must be an integer/],
    ["5s", /`ttlMs` must be a number, got "5s"/],
    [{ ttlMs: 5_000 }, /`ttlMs` must be a number/],
    [
      9_000,
      /`lockDelayMs` .* `ttlMs` \(9000\) .* `maxTtlMs` \(10000\), got 1000/,
      { lockDelayMs: 1_000 },
    ],
  ] as [number, RegExp, Partial<LeaseSettings>?][]) {
    it(`refuses to be extended to ${JSON.stringify(ttlMs)}, and is held as before`, async () => {
      const { bench, lock } = heldLock({ maxTtlMs: 10_000, ...over });
      expect((await rejectionWith(Error, lock.extend(ttlMs))).message).to.match(message);
      expect([lock.isHeld, bench.counts("extend")[0]]).to.deep.equal([true, 0]);
    });
  }

  it("refuses what an extend has no use for", async () => {
    const { lock } = heldLock();
    const extend: (...all: number[]) => Promise<void> = lock.extend.bind(lock);
    const error = await rejectionWith(TypeError, extend(5_000, 3));
    expect(error.message).to.match(/extend\(\) has no argument 2, got 3: .* from now/);
  });

  it("releases at the end of its scope", async () => {
    const { bench, lock } = heldLock();
    const scope = (async () => {
      await using scoped = lock;
      scoped.assertHeld();
    })();
    await settle();
    bench.answer("release", [granted(), granted()]);
    await scope;
    expect(lock.isHeld).to.equal(false);
  });

  /** What may happen in the scope of a lock that is lost in it; whether the end of the scope has to tell the loss. */
  const SCOPES: [string, isTold: boolean, (lock: LeasedLock) => unknown][] = [
    ["nothing", true, () => {}],
    ["a signal without a listener", true, (lock) => lock.signal.aborted],
    ["a look at isHeld", true, (lock) => lock.isHeld],
    ["assertHeld while it was held", true, (lock) => lock.assertHeld()],
    ["a listener on its signal", false, (lock) => lock.signal.addEventListener("abort", () => {})],
  ];
  const AFTERWARDS: [string, (lock: LeasedLock) => unknown][] = [
    ["assertHeld", async (lock) => lock.assertHeld()],
    ["extend", (lock) => lock.extend()],
    ["release", (lock) => lock.release()],
  ];

  for (const [what, throws, use] of SCOPES) {
    it(`lost in its scope, is ${throws ? "" : "not "}told at the end of it after ${what}`, async () => {
      const { bench, lock } = heldLock();
      const scope = (async () => {
        await using scoped = lock;
        use(scoped);
        bench.clock.advance(988);
      })();
      if (!throws) return await scope;
      expect(await rejectionWith(LockLostError, scope)).to.include({ reason: "expired" });
      await lock[Symbol.asyncDispose]();
    });
  }

  for (const [what, ask] of AFTERWARDS) {
    it(`lost in its scope, is not told at the end of it what ${what} has told`, async () => {
      const { bench, lock } = heldLock();
      bench.clock.advance(988);
      await Promise.resolve(ask(lock)).catch(() => {});
      await lock[Symbol.asyncDispose]();
    });
  }

  it("tells at the end of its scope that a quorum of nodes no longer had its key", async () => {
    const { bench, lock } = heldLock();
    const scope = rejectionWith(LockLostError, lock[Symbol.asyncDispose]());
    await settle();
    bench.answer("release", [free(), free()]);
    expect(await scope).to.include({ reason: "taken" });
  });

  it("tells nothing at the end of its scope where its key may have expired before the release came", async () => {
    const { bench, lock } = heldLock();
    const scope = lock[Symbol.asyncDispose]();
    bench.clock.stall(988);
    bench.answer("release", [free(), free()]);
    await scope;
  });

  it("prints itself without the secret that could release it", () => {
    const { bench, lock } = heldLock();
    expect(inspect(lock)).to.equal('Lock "invoice" (token 7, 988 ms left)');
    bench.clock.advance(988);
    expect(inspect(lock)).to.equal('Lock "invoice" (token 7, lost)');
    expect(inspect({ lock })).to.not.include(ownerIdOf(lock));
    expect(String(lock)).to.equal(inspect(lock));
    const described = { name: "invoice", mode: "exclusive", fencingToken: 7, isHeld: false };
    expect(JSON.parse(JSON.stringify(lock))).to.deep.equal(described);
  });

  it("is described, without its secret, where it is stringified, and stays held", () => {
    const { lock } = heldLock();
    const text = JSON.stringify({ job: 7, lock, all: [lock] });
    const described = { name: "invoice", mode: "exclusive", fencingToken: 7, isHeld: true };
    expect(JSON.parse(text)).to.deep.equal({ job: 7, lock: described, all: [described] });
    expect(JSON.parse(JSON.stringify(lock))).to.deep.equal(described);
    expect(lock.toJSON()).to.deep.equal(described);
    expect(inspect(lock)).to.equal('Lock "invoice" (token 7, 988 ms left)');
    expect(lock.isHeld).to.equal(true);
  });

  {
    it("is handed over: it is over here, and nothing is released", async () => {
      const { bench, lock } = heldLock();
      expect(lock.handOver()).to.deep.equal({
        kind: "quorate-lock",
        version: 1,
        name: "invoice",
        lockKey: "lock:invoice",
        mode: "exclusive",
        ownerId: ownerIdOf(lock),
        fencingToken: 7,
        ttlMs: 1_000,
      });
      expect(lock.isHeld).to.equal(false);
      expect(lock.remainingMs).to.equal(0);
      expect(lock.signal.aborted).to.equal(false);
      expect(() => lock.assertHeld()).to.throw(LockLostError, "handed over to another process");
      expect(() => lock.handOver()).to.throw(LockLostError, "handed over to another process");
      expect((await rejectionWith(LockLostError, lock.extend())).reason).to.equal("handedOver");
      expect(inspect(lock)).to.equal('Lock "invoice" (token 7, handed over)');
      const askedCount = (): number[] => bench.nodes.map(({ asks }) => asks.length);
      const before = askedCount();
      expect(await lock.release()).to.equal("handedOver");
      bench.clock.advance(5_000);
      await settle();
      expect(askedCount()).to.deep.equal(before);
    });
  }

  for (const { minHoldMs, afterMs, left } of [
    { minHoldMs: 0, afterMs: 0, left: undefined },
    { minHoldMs: 400, afterMs: 0, left: 400 },
    // Its clock may be faster than real time by 1 %.
    { minHoldMs: 400, afterMs: 101, left: 300 },
    { minHoldMs: 400, afterMs: 100.5, left: 301 },
    { minHoldMs: 400, afterMs: 403.9, left: 1 },
    { minHoldMs: 400, afterMs: 404, left: undefined },
    { minHoldMs: 400, afterMs: 900, left: undefined },
  ]) {
    it(`D2: handed over after ${afterMs} of ${minHoldMs} ms, it says that ${left ?? "nothing"} is left`, () => {
      const { bench, lock } = heldLock({ minHoldMs });
      bench.clock.advance(afterMs);
      const given = lock.handOver();
      expect(given.minHoldMs).to.equal(left);
      expect(Object.hasOwn(given, "minHoldMs")).to.equal(left !== undefined);
    });
  }
});
