import type { WaitSettings } from "../../src/protocol/next-move.js";
import { expect } from "chai";
import { Acquire, type AcquireOutcome } from "../../src/coordinator/acquire.js";
import { endDisproved, type Pending } from "../../src/coordinator/preemption.js";
import type { Lease } from "../../src/coordinator/lease.js";
import type { ManagedLease } from "../../src/coordinator/observer.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import type { AnyOperation } from "../../src/protocol/operation.js";
import { ManualClock } from "../support/manual-clock.js";
import { at } from "../support/nodes.js";
import { fault, foreign, granted, held } from "../support/votes.js";
import type { Operation } from "../../src/protocol/operation.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { severalLock } from "../../src/kinds/several.js";
import { sharedLock } from "../../src/kinds/shared.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";

const OTHER = keysOf("lock:", "other");

/** A lock of this process, to which nothing happens. */
function heldOf(keys: LockKind, ownerId = "another"): ManagedLease {
  return {
    ...{ keys, ownerId },
    close: () => Promise.resolve(),
    preempt: () => () => {},
    onTaken: () => {},
  };
}

const isPreempting = (operation: Operation): boolean =>
  operation.kind === "acquire" && operation.preempts === true;

/** A request of this process that asks when it is told to. */
class Polling implements Pending {
  readonly keys: LockKind;
  readonly preempts = false;
  readonly askedMs = Number.POSITIVE_INFINITY;
  isAsking: boolean;
  #callbacks: (() => void)[] = [];

  constructor(keys: LockKind, isAsking: boolean) {
    this.keys = keys;
    this.isAsking = isAsking;
  }

  whenDecided(_: string, callback: () => void): boolean {
    if (this.isAsking) this.#callbacks.push(callback);
    return this.isAsking;
  }

  decide(): void {
    this.isAsking = false;
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  abort(): void {}
  yieldTo(): void {}
}

class PreemptionBench {
  readonly bench: CoordinatorBench;
  readonly held: ManagedLease[] = [];
  readonly pending = new Set<Pending>();
  readonly outcomes: AcquireOutcome[] = [];
  readonly setbacks: string[] = [];
  acquire: Acquire | undefined;

  constructor(bench = new CoordinatorBench()) {
    this.bench = bench;
  }

  begin(wait: Partial<WaitSettings> = {}): this {
    const settings = { waitMs: 0, minDelayMs: 10, maxDelayMs: 250, fair: false, ...wait };
    const { context } = this.bench;
    const lease = leaseSettings();
    const standing = { as: "preempt", competitors: this } as const;
    const wanted = { keys: KEYS, settings: lease, wait: settings, standing };
    this.acquire = new Acquire(
      context,
      wanted,
      (outcome) => this.outcomes.push(outcome),
      ({ kind }) => this.setbacks.push(kind),
    );
    this.pending.add(this.acquire);
    this.acquire.begin();
    return this;
  }

  /** Everything that each node was asked, in order. */
  asked(): string[][] {
    return this.bench.nodes.map(({ asks }) =>
      asks.map(({ operation }) => (isPreempting(operation) ? "preempt" : operation.kind)),
    );
  }
}

/** Another name is asked for, for a long time, so often that there is room for no more. */
function busyBench(before: (bench: CoordinatorBench) => void = () => {}, window = 4) {
  const bench = new CoordinatorBench(3, new ManualClock(), undefined, window);
  before(bench);
  const others = Array.from({ length: window }, () =>
    bench.acquire({ nodeTimeoutMs: 1_000 }, {}, OTHER),
  );
  bench.clock.flush();
  const makeRoom = (): void => others.forEach((other) => other.abort());
  return { bench, makeRoom };
}

describe("a preemption", () => {
  it("asks for the key whoever holds it, and has a plain lock then", () => {
    const preemption = new PreemptionBench().begin();
    preemption.bench.clock.advance(0);
    preemption.bench.answer("acquire", [granted(7), granted(7)]);
    const [outcome] = preemption.outcomes;
    if (outcome?.kind !== "granted") return expect.fail(`it is ${outcome?.kind}`);
    expect(preemption.asked()).to.deep.equal([0, 1, 2].map(() => ["preempt"]));
    void outcome.lease.release();
    expect(preemption.asked()).to.deep.equal([0, 1, 2].map(() => ["preempt", "release"]));
  });

  it("ends the belief of those in its process before it asks, and releases their keys after it", () => {
    const preemption = new PreemptionBench();
    const lease = preemption.bench.lease();
    preemption.held.push(lease);
    let wasAsked: boolean | undefined;
    lease.onLost = () => {
      wasAsked = preemption.asked().flat().includes("preempt");
    };
    preemption.begin().bench.clock.advance(0);
    expect(preemption.bench.lost).to.deep.equal(["stolen"]);
    expect(wasAsked).to.equal(false);
    const order = ["acquire", "preempt", "release"];
    expect(preemption.asked()).to.deep.equal([order, order, order]);
  });

  it("leaves the name to one that was requested when a holder heard of its loss", () => {
    const preemption = new PreemptionBench();
    const lease = preemption.bench.lease();
    preemption.held.push(lease);
    lease.onLost = () => preemption.begin();
    preemption.begin().bench.clock.advance(0);
    const both = [...preemption.pending] as Acquire[];
    expect(both.map(({ isPreempted }) => isPreempted)).to.deep.equal([true, false]);
    preemption.bench.answer("acquire", [granted(7), granted(7)]);
    expect(preemption.outcomes.map(({ kind }) => kind)).to.deep.equal(["aborted", "granted"]);
    const order = ["acquire", "preempt", "release"];
    expect(preemption.asked(), "released once it has asked").to.deep.equal([order, order, order]);
  });

  it("takes back what others of its process asked for once it has asked itself", () => {
    const preemption = new PreemptionBench();
    const { pendingAcquire } = preemption.bench.acquire();
    // It is not among those that are decided first.
    const preempt = (): (() => void) => {
      preemption.pending.add(pendingAcquire);
      return () => {};
    };
    preemption.held.push({ ...heldOf(KEYS), preempt });
    preemption.begin().bench.clock.advance(0);
    const order = ["acquire", "preempt", "release"];
    expect(preemption.asked()).to.deep.equal([order, order, order]);
  });

  it("takes back what an earlier one asked for once it has asked itself", () => {
    const preemption = new PreemptionBench().begin();
    preemption.bench.clock.advance(0);
    preemption.begin().bench.clock.advance(0);
    const order = ["preempt", "preempt", "release"];
    expect(preemption.asked()).to.deep.equal([order, order, order]);
  });

  it("takes back what an earlier one asked for where it does not come to ask", () => {
    // There is room for one.
    const bench = new CoordinatorBench(3, new ManualClock(), undefined, 1);
    const preemption = new PreemptionBench(bench).begin();
    bench.clock.advance(0);
    preemption.begin().begin();
    expect(preemption.asked()[0]).to.deep.equal(["preempt"]);
    preemption.acquire?.abort();
    expect(preemption.asked()[0]).to.deep.equal(["preempt", "release"]);
  });

  it("preempts neither other names, nor what is lost already", () => {
    const preemption = new PreemptionBench();
    const preempted: string[] = [];
    for (const keys of [OTHER, severalLock([OTHER, keysOf("lock:", "third")])]) {
      preemption.held.push({ ...heldOf(keys), preempt: () => () => preempted.push(keys.name) });
    }
    const over = preemption.bench.lease({ renew: false });
    preemption.bench.clock.advance(2_000);
    preemption.held.push(over);
    preemption.begin().bench.clock.advance(0);
    expect(preempted).to.deep.equal([]);
    expect(preemption.bench.lost).to.deep.equal(["expired"]);
  });

  it("preempts whoever has the name among several", () => {
    const preemption = new PreemptionBench();
    const preempted: string[] = [];
    const keys = severalLock([OTHER, KEYS]);
    preemption.held.push({ ...heldOf(keys), preempt: () => () => preempted.push(keys.name) });
    preemption.begin().bench.clock.advance(0);
    expect(preempted).to.deep.equal([keys.name]);
  });

  it("is tried again where no quorum answers, until its time is over, and preempts again", () => {
    const preemption = new PreemptionBench().begin({ waitMs: 100, minDelayMs: 10, maxDelayMs: 10 });
    preemption.bench.clock.advance(0);
    preemption.bench.answer("acquire", [fault("disconnected"), fault("disconnected")]);
    expect(preemption.outcomes).to.deep.equal([]);
    const late = preemption.bench.lease();
    preemption.held.push(late);
    preemption.bench.clock.advance(10);
    expect(late.lossReason).to.equal("stolen");
    expect(preemption.acquire?.attemptCount).to.equal(2);
    // The last attempt begins when its time is over, and nobody answers that either.
    preemption.bench.clock.advance(200);
    expect(preemption.outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
    expect(preemption.setbacks, "but for the last").to.deep.equal(["unreachable", "unreachable"]);
  });

  it("is not tried again where it cannot help: data that is no lock", () => {
    const preemption = new PreemptionBench().begin({ waitMs: 100 });
    preemption.bench.clock.advance(0);
    preemption.bench.answer("acquire", [foreign(), foreign()]);
    expect(preemption.outcomes.map(({ kind }) => kind)).to.deep.equal(["refused"]);
  });

  it("gives way to a later one, as if it had been granted and preempted", () => {
    const preemption = new PreemptionBench().begin();
    preemption.bench.clock.advance(0);
    preemption.acquire?.yieldTo(OTHER.lockKey);
    expect(preemption.outcomes).to.deep.equal([]);
    preemption.acquire?.yieldTo(KEYS.lockKey);
    expect(preemption.outcomes).to.deep.equal([{ kind: "aborted" }]);
    expect(preemption.acquire?.isPreempted).to.equal(true);
    expect(preemption.asked()[0]).to.deep.equal(["preempt", "release"]);
  });

  it("settles once, and asks no more, when it is aborted", () => {
    const preemption = new PreemptionBench().begin();
    preemption.acquire?.abort();
    preemption.acquire?.abort();
    preemption.bench.clock.advance(1_000);
    expect(preemption.outcomes).to.deep.equal([{ kind: "aborted" }]);
    expect(preemption.asked()).to.deep.equal([0, 1, 2].map(() => ["preempt", "release"]));
    expect(preemption.acquire?.attemptCount).to.equal(1);
    expect(preemption.bench.context.schedule.size).to.equal(0);
  });
});

describe("S1: a grant ends what it disproves of its process, of the locks on its names", () => {
  const SET = severalLock([OTHER, KEYS]);
  const READER = sharedLock(KEYS);
  for (const { title, granted: keys, held: before, ownerId, passOnCount, ends } of [
    { title: "the name", granted: KEYS, held: KEYS, ends: true },
    { title: "the name in a set", granted: KEYS, held: SET, ends: true },
    { title: "a set with the name", granted: SET, held: KEYS, ends: true },
    { title: "a reader of the name", granted: KEYS, held: READER, ends: true },
    { title: "the name, to a reader", granted: READER, held: KEYS, ends: true },
    { title: "but readers beside a reader", granted: READER, held: READER, ends: false },
    { title: "but itself", granted: KEYS, held: KEYS, ownerId: "mine", ends: false },
    {
      title: "but not where it was passed on",
      granted: KEYS,
      held: KEYS,
      passOnCount: 1,
      ends: false,
    },
  ]) {
    it(title, () => {
      let isTaken = false;
      const held = [{ ...heldOf(before, ownerId), onTaken: () => (isTaken = true) }];
      const run = { startedMs: 0, isWaitedFor: true, lastTicket: 0, passOnCount: passOnCount ?? 0 };
      endDisproved(held, { keys, ownerId: "mine", run });
      expect(isTaken).to.equal(ends);
    });
  }
});

describe("a preemption that waits for its admission", () => {
  function busyPreemption(before?: (bench: CoordinatorBench) => void) {
    const { bench, makeRoom } = busyBench(before);
    return { preemption: new PreemptionBench(bench), makeRoom };
  }

  it("leaves a holder of its process alone until it asks the nodes", () => {
    const held: Lease[] = [];
    const { preemption, makeRoom } = busyPreemption((bench) => {
      held.push(bench.lease({ renew: false }));
    });
    const { bench } = preemption;
    const [lease] = held as [Lease];
    preemption.held.push(lease);
    preemption.begin({ waitMs: 500 });
    bench.clock.advance(40);
    expect(lease.isHeld()).to.equal(true);
    makeRoom();
    bench.clock.advance(0);
    expect(lease.lossReason).to.equal("stolen");
    expect(preemption.asked()[0]?.slice(-2)).to.deep.equal(["preempt", "release"]);
  });

  it("asks nobody if its manager is closed by one that it preempts", () => {
    const { preemption, makeRoom } = busyPreemption();
    let releaseCount = 0;
    const preempt = (): (() => void) => {
      preemption.acquire?.abort();
      return () => void releaseCount++;
    };
    preemption.held.push({ ...heldOf(KEYS), preempt });
    preemption.begin();
    makeRoom();
    preemption.bench.clock.advance(0);
    expect(preemption.outcomes).to.deep.equal([{ kind: "aborted" }]);
    expect(preemption.asked().flat()).to.not.include("preempt");
    expect(releaseCount).to.equal(1);
    expect(preemption.bench.context.admission.underWayCount).to.equal(0);
  });

  it("asks once, however often it is woken before", () => {
    const { preemption, makeRoom } = busyPreemption();
    const { bench } = preemption;
    preemption.begin({ waitMs: 500 });
    for (let more = 0; more < 2; more++) preemption.acquire?.wake(bench.clock.now());
    makeRoom();
    bench.clock.advance(0);
    for (const asked of preemption.asked()) {
      expect(asked.filter((kind) => kind === "preempt")).to.have.length(1);
    }
    expect(preemption.acquire?.attemptCount).to.equal(1);
    expect(bench.context.admission.underWayCount).to.equal(1);
  });

  it("is queued if its time is over first, and has preempted nobody", () => {
    const held: Lease[] = [];
    const { preemption } = busyPreemption((bench) => {
      held.push(bench.lease({ renew: false }));
    });
    const [lease] = held as [Lease];
    preemption.held.push(lease);
    preemption.begin({ waitMs: 30 });
    preemption.bench.clock.advance(30);
    expect(preemption.outcomes.map(({ kind }) => kind)).to.deep.equal(["queued"]);
    expect(lease.isHeld()).to.equal(true);
  });
});

describe("an acquire that gives way to a preemption", () => {
  it("takes back what it asked, and asks once more behind", () => {
    const bench = new CoordinatorBench();
    const { pendingAcquire, outcomes } = bench.acquire({}, { waitMs: 20 });
    pendingAcquire.yieldTo(OTHER.lockKey);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
    pendingAcquire.yieldTo(KEYS.lockKey);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    // What the nodes granted before must not be believed in.
    bench.answer("acquire", [granted(7), granted(7), granted(7)]);
    expect(outcomes).to.deep.equal([]);
    bench.clock.advance(0);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    bench.clock.advance(20);
    bench.answer("acquire", [held(), held()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["refused"]);
  });

  for (const { title, waitMs, votes, kind } of [
    { title: "it asks only once", waitMs: 0, votes: [], kind: "refused" },
    { title: "its time is over", waitMs: 20, votes: [fault(), fault()], kind: "unreachable" },
  ]) {
    it(`L1: is ${kind} at once where ${title}, however often others steal the name`, () => {
      const bench = new CoordinatorBench();
      const { pendingAcquire, outcomes } = bench.acquire({}, { waitMs, minDelayMs: 20 });
      bench.answer("acquire", votes);
      bench.clock.advance(waitMs);
      const asked = bench.counts("acquire");
      pendingAcquire.yieldTo(KEYS.lockKey);
      expect(outcomes.map((outcome) => outcome.kind)).to.deep.equal([kind]);
      bench.answer("acquire", [granted(7), granted(7), granted(7)]);
      bench.clock.advance(1_000);
      expect(bench.counts("acquire")).to.deep.equal(asked);
      expect(outcomes).to.have.length(1);
      expect(bench.counts("release").every((count) => count > 0)).to.equal(true);
    });
  }

  it("E1: goes on where its attempt is lost already, and tells why it is", () => {
    const bench = new CoordinatorBench(4, undefined, heardInbox());
    const { pendingAcquire, outcomes } = bench.acquire({}, { waitMs: 20, minDelayMs: 20 });
    bench.answer("acquire", [fault(), fault()]);
    bench.clock.advance(20);
    bench.answer("acquire", [fault(), granted(7), held()]);
    expect(bench.counts("release"), "also where its acquire is only deferred").to.deep.equal([
      2, 2, 2, 2,
    ]);
    pendingAcquire.yieldTo(KEYS.lockKey);
    expect(outcomes).to.deep.equal([]);
    bench.answer("acquire", [undefined, undefined, undefined, held()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
  });

  it("E1: keeps its only attempt that was not admitted yet", () => {
    const { bench, makeRoom } = busyBench();
    const { pendingAcquire, outcomes } = bench.acquire();
    pendingAcquire.yieldTo(KEYS.lockKey);
    expect(outcomes).to.deep.equal([]);
    makeRoom();
    bench.clock.advance(0);
    bench.answer("acquire", [held(), held()]);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["refused"]);
  });

  for (const { title, votes, waitMs = 10_000 } of [
    { title: "while it waits", votes: [0, 1, 2, 3].map(() => held(60_000)) },
    { title: "where its attempt is lost already", votes: [fault(), granted(7), held()] },
    {
      title: "where its last attempt is lost already",
      votes: [fault(), granted(7), held()],
      waitMs: 20,
    },
    { title: "while its attempt has nodes", votes: [granted(7), held()] },
  ]) {
    it(`leaves nothing with the nodes that they could grant it, ${title}`, () => {
      const bench = new CoordinatorBench(4, undefined, heardInbox());
      const { pendingAcquire } = bench.acquire({}, { waitMs, minDelayMs: 20, maxDelayMs: 20 });
      bench.answer("acquire", [held(60_000), held(60_000), held(60_000), held(60_000)]);
      if (votes !== undefined) {
        bench.clock.advance(20);
        expect(bench.counts("acquire")).to.deep.equal([2, 2, 2, 2]);
        bench.answer("acquire", votes);
      }
      pendingAcquire.yieldTo(KEYS.lockKey);
      for (const node of bench.nodes) {
        const sent: readonly AnyOperation[] = node.asks.map(({ operation }) => operation);
        const last = sent.findLast(({ waiter }) => waiter !== undefined);
        expect(last).to.include({ kind: "release" });
        expect(last?.waiter).to.include({ deferred: undefined });
      }
    });
  }

  it("does nothing while it asks for nothing", () => {
    const bench = new CoordinatorBench();
    const { pendingAcquire } = bench.acquire({}, { waitMs: 500 });
    bench.answer("acquire", [held(), held(), held()]);
    const asked = bench.counts("release");
    pendingAcquire.yieldTo(KEYS.lockKey);
    expect(bench.counts("release")).to.deep.equal(asked);
  });
});

/** A process that requests and steals one name, all in one tick, of nodes that answer when they are told. */
class OneTick {
  readonly bench: CoordinatorBench;
  readonly held = new Set<ManagedLease>();
  readonly pending = new Set<Pending>();
  /** How each ended, in the order of the calls. */
  readonly ends: string[] = [];
  readonly #wait: WaitSettings;
  #heldBy: string | undefined;
  #answeredCount = 0;

  constructor(kinds: string, bench = new CoordinatorBench(), waitMs = 60_000) {
    this.bench = bench;
    this.#wait = { waitMs, minDelayMs: 10, maxDelayMs: 250, fair: false };
    for (const kind of kinds) this.ask(kind);
  }

  /** @param kind `x` requests, `t` steals */
  ask(kind: string): void {
    const { context } = this.bench;
    const index = this.ends.push("pending") - 1;
    const settle = (outcome: AcquireOutcome): void => {
      this.pending.delete(pending);
      this.ends[index] = outcome.kind;
      if (outcome.kind !== "granted") return;
      const { lease } = outcome;
      this.held.add(lease);
      lease.onLost = (reason) => {
        this.ends[index] = reason;
      };
    };
    const standing = kind === "t" ? ({ as: "preempt", competitors: this } as const) : undefined;
    const wanted = { keys: KEYS, settings: leaseSettings(), wait: this.#wait, standing };
    const pending = new Acquire(context, wanted, settle);
    this.pending.add(pending);
    pending.begin();
  }

  /** What the nodes were asked since, in order; each answers as a lone node would, all of them alike. */
  answer(): void {
    const { nodes } = this.bench;
    for (; this.#answeredCount < (nodes[0]?.asks.length ?? 0); this.#answeredCount++) {
      const index = this.#answeredCount;
      const { operation } = at(at(nodes, 0).asks, index);
      const { kind, ownerId, keys } = operation;
      if (keys.lockKey !== KEYS.lockKey) continue;
      const isFree = this.#heldBy === undefined || isPreempting(operation);
      if (kind === "release" && this.#heldBy === ownerId) this.#heldBy = undefined;
      const isGranted = kind === "acquire" && isFree;
      if (isGranted) this.#heldBy = ownerId;
      if (kind !== "acquire") continue;
      for (const { asks } of nodes) at(asks, index).reply(isGranted ? granted(7) : held());
    }
  }

  /** How many preempting acquires the nodes were asked for. */
  get preemptionCount(): number {
    const asks = at(this.bench.nodes, 0).asks;
    return asks.filter(({ operation }) => isPreempting(operation)).length;
  }
}

describe("requests and preemptions of one tick keep their order", () => {
  const table: Readonly<Record<string, readonly string[]>> = {
    tt: ["aborted", "granted"],
    ttt: ["aborted", "aborted", "granted"],
    xt: ["stolen", "granted"],
    tx: ["granted", "pending"],
    xtx: ["stolen", "granted", "pending"],
    txt: ["aborted", "pending", "granted"],
    xxt: ["stolen", "pending", "granted"],
    xtxt: ["stolen", "aborted", "pending", "granted"],
  };
  for (const [kinds, ends] of Object.entries(table)) {
    it(`${kinds}: ${ends.join(", ")}`, () => {
      const tick = new OneTick(kinds);
      tick.answer();
      expect(tick.ends).to.deep.equal(ends);
    });
  }

  for (const [kinds, ends] of Object.entries(table)) {
    it(`${kinds}: so, too, where none of them was admitted for a long time`, () => {
      const { bench, makeRoom } = busyBench();
      const tick = new OneTick(kinds, bench);
      for (let step = 0; step < 10; step++) bench.clock.advance(20);
      expect(tick.ends).to.deep.equal(ends.map((end) => (end === "aborted" ? end : "pending")));
      makeRoom();
      for (let step = 0; step < 10; step++) {
        bench.clock.advance(0);
        tick.answer();
      }
      expect(tick.ends).to.deep.equal(ends);
    });
  }

  it("waits no longer than a node deadline for what the nodes do not decide", () => {
    const tick = new OneTick("xt");
    tick.bench.clock.advance(49);
    expect(tick.preemptionCount).to.equal(0);
    tick.bench.clock.advance(1);
    expect(tick.preemptionCount).to.equal(1);
  });

  it("counts that deadline from when the nodes were asked", () => {
    const { bench, makeRoom } = busyBench();
    const tick = new OneTick("xt", bench);
    bench.clock.advance(120);
    makeRoom();
    bench.clock.advance(0);
    bench.clock.advance(49);
    expect(tick.preemptionCount).to.equal(0);
    bench.clock.advance(1);
    expect(tick.preemptionCount).to.equal(1);
  });

  for (const { title, keys, count } of [
    { title: "not for others that ask when they are decided", keys: KEYS, count: 1 },
    { title: "also for readers that are let in then", keys: sharedLock(KEYS), count: 0 },
  ])
    it(`L1: waits for those that ask already, ${title}`, () => {
      const preemption = new PreemptionBench();
      const [asks, polls] = [new Polling(KEYS, true), new Polling(keys, false)];
      preemption.pending.add(asks).add(polls);
      preemption.begin({ waitMs: 60_000 });
      preemption.bench.clock.advance(1);
      expect(preemption.acquire?.attemptCount).to.equal(0);
      polls.isAsking = true;
      asks.decide();
      preemption.bench.clock.advance(0);
      expect(preemption.acquire?.attemptCount).to.equal(count);
      polls.decide();
      preemption.bench.clock.advance(0);
      expect(preemption.acquire?.attemptCount).to.equal(1);
    });

  it("fails for its own time, and not for that of whom it waits for", () => {
    const { bench } = busyBench();
    const tick = new OneTick("xt", bench, 300);
    for (let step = 0; step < 30; step++) bench.clock.advance(10);
    expect(tick.ends).to.deep.equal(["queued", "pending"]);
    for (let step = 0; step < 1; step++) bench.clock.advance(10);
    expect(tick.ends).to.deep.equal(["queued", "queued"]);
    expect(bench.context.admission.waitingCount).to.equal(0);
  });

  it("does not wait for a request that failed, and rests until a quorum answers", () => {
    const tick = new OneTick("x", new CoordinatorBench(3, new ManualClock(), undefined, 1));
    const { clock, context } = tick.bench;
    const { admission } = context;
    clock.advance(50);
    for (let ms = 0; ms < 250; ms++) {
      // Others use up what may be tried meanwhile.
      for (let count = 0; count < 400; count++) {
        const other = { begin: () => {}, onHeldBack: () => {} };
        admission.enter(other, "patient");
        admission.leave(other);
      }
      clock.advance(1);
    }
    expect(admission).to.include({ waitingCount: 1, underWayCount: 0 });
    tick.ask("t");
    clock.advance(0);
    expect(tick.preemptionCount).to.equal(1);
  });
});
