import { expect } from "chai";
import type { AcquireRequest } from "../../src/coordinator/wait-place.js";
import { failureOf, type AttemptFailure } from "../../src/protocol/attempt-failure.js";
import { KnownFailures, saysTo } from "../../src/coordinator/wait-queue.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Vote } from "../../src/protocol/operation.js";
import { permitLock } from "../../src/kinds/permit.js";
import { redissonLock } from "../../src/kinds/redisson.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import type { Ask } from "../support/scripted-node.js";
import { fault, foreign, granted, held } from "../support/votes.js";

const WAIT = { waitMs: 10_000, maxDelayMs: 250 };
const RENEW = { renew: false, fencing: false };

/** It wants nearly all of its validity, and the nodes need longer than that leaves. */
const EXACTING = { ...RENEW, minHoldMs: 980 };
/** The nodes need longer. */
const HASTY = { ...RENEW, nodeTimeoutMs: 10 };
const ANSWER_MS = 20;

/** Three nodes where the name is free, which answer after a while, and whose messages come to an inbox. */
function unlikeBench() {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const answered = new Set<Ask>();
  // With somebody ahead of them, all others begin in the wait queue, in order.
  const ahead = bench.acquire(RENEW, { ...WAIT, fair: true });
  for (const node of bench.nodes) answered.add(node.last("acquire"));
  return {
    bench,
    begin: () => ahead.abort(),
    asked: () =>
      bench.nodes[0]
        ?.all("acquire")
        .slice(1)
        .map(({ operation }) => operation) ?? [],
    acquire: (over: Partial<LeaseSettings>, wait = {}, keys = KEYS) =>
      bench.acquire(over, { ...WAIT, ...wait }, keys),
    run: (ms: number, vote: Vote = granted(7)) => {
      for (let at = 0; at < ms; at++) {
        for (const node of bench.nodes) {
          for (const ask of node.all("acquire")) {
            if (answered.has(ask)) continue;
            answered.add(ask);
            bench.clock.setTimer(ANSWER_MS, () => ask.reply(vote));
          }
        }
        bench.clock.advance(1);
      }
    },
  };
}

describe("Waiters of one process with unlike options", () => {
  for (const { title, first, kind } of [
    { title: "too little validity left for another", first: EXACTING, kind: "exhausted" },
    { title: "no answers in time for another", first: HASTY, kind: "unreachable" },
  ]) {
    it(`L2: are granted the name that had ${title}`, () => {
      const { begin, acquire, run } = unlikeBench();
      const other = acquire(first);
      const behind = acquire(RENEW);
      begin();
      run(2_000);
      expect(behind.outcomes[0]).to.include({ kind: "granted" });
      expect(behind.outcomes[0]?.waitedMs).to.be.below(1_000);
      run(WAIT.waitMs);
      expect(other.outcomes[0]).to.include({ kind });
    });

    it(`E1: are not told that there was ${title}`, () => {
      const { begin, acquire, run } = unlikeBench();
      acquire(first, { fair: true });
      const behind = acquire(RENEW, { waitMs: 600 });
      begin();
      run(800);
      expect(behind.outcomes[0]).to.include({ kind: "granted" });
    });

    it(`W1: let nobody pass where there is ${title}, if they are fair`, () => {
      const { begin, acquire, run } = unlikeBench();
      acquire(first, { fair: true });
      const behind = acquire(RENEW, { fair: true, waitMs: 600 });
      begin();
      run(800);
      expect(behind.outcomes[0]).to.include({ kind: "refused", attemptCount: 0 });
    });
  }

  for (const [what, over, keys] of [
    ["alike", RENEW, KEYS],
    ["that gives the nodes more time", { ...RENEW, nodeTimeoutMs: 400 }, KEYS],
    ["to read", { ...RENEW, nodeTimeoutMs: 400 }, sharedLock(KEYS)],
  ] as const) {
    it(`W1: a fair one is granted the name after an outage before a later one ${what}`, () => {
      const { bench, begin, asked, acquire, run } = unlikeBench();
      const first = acquire({ ...RENEW, nodeTimeoutMs: 40 }, { fair: true });
      const behind = acquire(over, { fair: true }, keys);
      begin();
      run(3_000, fault());
      expect(asked().length).to.be.above(5);
      while (first.outcomes.length === 0 && bench.clock.now() < WAIT.waitMs) {
        expect(new Set(asked().map(({ waiter }) => waiter?.ticket))).to.have.length(1);
        run(1);
      }
      expect(first.outcomes[0]).to.include({ kind: "granted" });
      expect(behind.outcomes).to.have.length(0);
    });
  }

  it("W1: pass no fair one that has to stay, also behind one that lets others pass", () => {
    const { begin, acquire, run } = unlikeBench();
    acquire(HASTY);
    const fair = acquire(HASTY, { fair: true, waitMs: 3_000 });
    const behind = acquire(RENEW, { fair: true, waitMs: 2_000 });
    begin();
    run(2_500);
    expect(fair.outcomes).to.have.length(0);
    expect(behind.outcomes[0]).to.include({ kind: "refused", attemptCount: 0 });
  });

  it("L6: let whoever comes while they rest ask before them, at once", () => {
    const { bench, begin, asked, acquire, run } = unlikeBench();
    const first = acquire(HASTY);
    begin();
    while (first.pendingAcquire.attempt !== undefined || asked().length === 0) run(1);
    const count = asked().length;
    const newcomer = acquire(RENEW, { fair: true });
    bench.clock.flush();
    expect(asked()).to.have.length(count + 1);
    run(ANSWER_MS + 1);
    expect(newcomer.outcomes[0]).to.include({ kind: "granted", attemptCount: 1 });
    expect(first.outcomes).to.have.length(0);
  });

  it("W1: keep their order where the nodes answer none of them", () => {
    const { begin, asked, acquire, run } = unlikeBench();
    acquire({ ...RENEW, nodeTimeoutMs: 40 });
    acquire(HASTY);
    acquire({ ...RENEW, nodeTimeoutMs: 40 });
    begin();
    run(3_000, fault());
    expect(asked().length).to.be.above(5);
    expect(new Set(asked().map(({ waiter }) => waiter?.ticket))).to.have.length(1);
  });

  it("W3: leave the place behind that is marked with another's node deadline", () => {
    const { bench, begin, asked, acquire, run } = unlikeBench();
    const first = acquire({ ...RENEW, nodeTimeoutMs: 50 });
    const second = acquire({ ...RENEW, nodeTimeoutMs: 400 });
    acquire({ ...RENEW, nodeTimeoutMs: 400 });
    begin();
    run(40, held(60_000));
    first.abort();
    expect(bench.counts("leave")).to.deep.equal([1, 1, 1]);
    const left = { ...asked().at(-1)?.waiter, deferred: undefined };
    expect(bench.nodes[0]?.last("leave").operation.waiter).to.deep.equal(left);
    run(40, held(60_000));
    second.abort();
    expect(bench.counts("leave"), "it is the third one's, too").to.deep.equal([1, 1, 1]);
  });

  it("W3: leave it when they let others pass", () => {
    const { bench, begin, asked, acquire, run } = unlikeBench();
    acquire(HASTY);
    acquire({ ...RENEW, nodeTimeoutMs: 400 });
    begin();
    run(ANSWER_MS);
    // The one ahead of them has left, too.
    expect(bench.counts("leave")).to.deep.equal([2, 2, 2]);
    const left = { ...asked()[0]?.waiter, deferred: undefined };
    expect(bench.nodes[0]?.last("leave").operation.waiter).to.deep.equal(left);
  });
});

describe("The failure of an attempt", () => {
  const request = (settings: Partial<LeaseSettings>, keys: LockKind = KEYS): AcquireRequest => ({
    keys,
    settings: leaseSettings(settings),
    wait: { waitMs: 1_000, minDelayMs: 10, maxDelayMs: 250, fair: false },
    startedMs: 0,
    deadlineMs: 1_000,
  });
  const refused = failureOf("refused", [held(), held(), held()]);
  const silent = failureOf("unreachable", [fault(), fault(), fault()]);
  const late = failureOf("exhausted", [granted(), granted(), granted()]);
  const alien = failureOf("refused", [foreign(), foreign(), foreign()]);
  const denied = failureOf(
    "unreachable",
    Array.from({ length: 3 }, () => fault("misconfigured")),
  );
  const [long, short] = [request({ ttlMs: 1_000 }), request({ ttlMs: 500 })];
  const [slow, quick] = [request({ nodeTimeoutMs: 100 }), request({ nodeTimeoutMs: 50 })];
  const plain = request({});
  const reader = request({}, sharedLock(KEYS));
  const redisson = request({}, redissonLock(KEYS));
  const [two, three] = [request({}, permitLock(KEYS, 2)), request({}, permitLock(KEYS, 3))];

  const cases: [
    title: string,
    failure: AttemptFailure,
    of: AcquireRequest,
    to: AcquireRequest,
    back: boolean,
  ][] = [
    ["a refusal, of whatever settings", refused, long, short, true],
    ["a refusal, of whatever node deadline", refused, slow, quick, true],
    ["a refusal, of readers and writers", refused, reader, plain, true],
    ["no time left", late, long, short, false],
    ["no time left, of one that wants less of it", late, plain, request({ minHoldMs: 100 }), false],
    ["silence", silent, slow, quick, false],
    ["silence, whatever the ttl", silent, long, short, true],
  ];
  for (const [title, failure, of, to, isMutual] of cases) {
    it(`says to another: ${title}`, () => {
      expect(saysTo(failure, of, of)).to.equal(true);
      expect(saysTo(failure, of, to)).to.equal(true);
      expect(saysTo(failure, to, of)).to.equal(isMutual);
    });
  }

  for (const [title, failure] of [
    ["foreign data", alien],
    ["missing permissions", denied],
  ] as const) {
    it(`says nothing of ${title} to another kind of lock`, () => {
      for (const [one, other] of [
        [plain, redisson],
        [plain, reader],
        [two, three],
      ] as const) {
        expect(saysTo(failure, one, one)).to.equal(true);
        expect(saysTo(failure, one, other)).to.equal(false);
        expect(saysTo(failure, other, one)).to.equal(false);
      }
    });
  }

  it("is remembered until there is a newer one for the same requests", () => {
    const known = new KnownFailures();
    known.add(silent, slow, 10);
    known.add(silent, quick, 20);
    expect(known.findFor(slow, 0)).to.equal(silent);
    const again = failureOf("unreachable", [fault(), fault(), fault()]);
    known.add(again, slow, 30);
    expect(known.findFor(slow, 0)).to.equal(again);
    expect(known.findFor(quick, 0)).to.equal(again);
    known.add(late, slow, 40);
    expect(known.findFor(slow, 40), "nothing older than itself, or than it has asked").to.equal(
      undefined,
    );
    expect(known.findFor(slow, 0)).to.equal(late);
  });

  it("is remembered for few requests, however much they differ", () => {
    const known = new KnownFailures();
    const all = Array.from({ length: 100 }, (_, at) => request({ nodeTimeoutMs: 200 - at }));
    for (const [at, each] of all.entries()) known.add(silent, each, at + 1);
    expect(all.filter((each) => known.findFor(each, 0) !== undefined)).to.have.length.within(1, 99);
  });
});
