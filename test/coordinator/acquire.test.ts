import { expect } from "chai";
import * as fc from "fast-check";
import { Acquire, type AcquireOutcome } from "../../src/coordinator/acquire.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { Vote } from "../../src/protocol/operation.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { permitLock } from "../../src/kinds/permit.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { isJoinOnly } from "../../sim/recording-node.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { takenVote } from "../support/taken-vote.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const OTHER = keysOf("lock:", "other");
const PERMITS = 4;
const ANY = permitLock(KEYS, PERMITS);
/** Of the permits only this one is free. */
const ONE_FREE = [0, 1, 2].map(() => takenVote(PERMITS, [0, 1, 3]));
const WAIT = { waitMs: 0, minDelayMs: 10, maxDelayMs: 250, fair: false };

/** Answers every attempt at once with the same votes, until it is over or `limitMs` has passed. */
async function play(
  bench: CoordinatorBench,
  outcomes: readonly AcquireOutcome[],
  votes: readonly (Vote | undefined)[],
  limitMs: number,
): Promise<number[]> {
  const startMs = bench.clock.now();
  const begunMs: number[] = [];
  for (;;) {
    const attempts = bench.nodes[0]?.all("acquire").length ?? 0;
    if (attempts > begunMs.length) {
      begunMs.push(bench.clock.now() - startMs);
      bench.answer("acquire", votes);
    }
    await settle();
    if (outcomes.length > 0 || bench.clock.now() - startMs >= limitMs) return begunMs;
    bench.clock.advance(1);
  }
}

/** Lets the pause pass, up to the first send of the next attempt. */
function toNextAttempt(bench: CoordinatorBench): void {
  const before = bench.counts("acquire")[0];
  while (bench.counts("acquire")[0] === before) bench.clock.advance(1);
}

describe("acquire", () => {
  it("makes one attempt when it is not to wait", async () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire({}, { waitMs: 0 });
    bench.answer("acquire", [held(), held()]);
    await settle();
    expect(outcomes[0]).to.include({ kind: "refused", attemptCount: 1, waitedMs: 0 });
  });

  it("tries again until granted, each time under another ownerId", async () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire({}, { waitMs: 10_000 });
    for (let times = 0; times < 3; times++) {
      bench.answer("acquire", [held(), held()]);
      toNextAttempt(bench);
    }
    bench.answer("acquire", [granted(7), granted(7)]);
    await settle();
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 4 });
    const ids = bench.nodes[0]?.all("acquire").map(({ operation }) => operation.ownerId);
    expect(new Set(ids).size).to.equal(4);
  });

  it("begins the last attempt no later than waitMs, and ends with it", async () => {
    const wait = fc.integer({ min: 0, max: 2_000 });
    await fc.assert(
      fc.asyncProperty(wait, fc.constantFrom(held(700), held(3), fault()), async (waitMs, vote) => {
        const bench = new CoordinatorBench();
        const { outcomes } = bench.acquire({}, { waitMs });
        const begunMs = await play(bench, outcomes, [vote, vote, vote], 3_000);
        expect(begunMs.at(-1)).to.equal(waitMs);
        expect(outcomes[0]).to.include({ attemptCount: begunMs.length, waitedMs: waitMs });
      }),
      { numRuns: 30 },
    );
  });

  it("is settled within waitMs and two node deadlines where nobody answers", async () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire({ nodeTimeoutMs: 50 }, { waitMs: 500 });
    await bench.clock.run(550);
    expect(outcomes[0]).to.include({ kind: "unreachable" });
    expect(outcomes[0]).to.have.property("waitedMs").that.is.within(500, 550);
  });

  it("pauses between the shortest and the longest delay", async () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire({}, { waitMs: 5_000, minDelayMs: 20, maxDelayMs: 100 });
    const begunMs = await play(bench, outcomes, [held(60_000), held(60_000), undefined], 5_000);
    const pauses = begunMs.slice(1, -1).map((ms, index) => ms - (begunMs[index] ?? 0));
    expect(pauses.length).to.be.greaterThan(20);
    for (const pause of pauses) expect(pause).to.be.within(20, 101);
    expect(new Set(pauses).size, "jitter").to.be.greaterThan(10);
  });

  it("is there when the key expires", async () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire({}, { waitMs: 5_000, minDelayMs: 200, maxDelayMs: 1_000 });
    bench.answer("acquire", [held(30), held(30)]);
    bench.clock.advance(29);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    bench.clock.advance(1);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    expect(outcomes).to.deep.equal([]);
  });

  for (const { title, votes, isHopeless } of [
    {
      title: "a quorum of nodes holds somebody's data",
      votes: [foreign(), foreign()],
      isHopeless: true,
    },
    {
      title: "a quorum of nodes is misconfigured",
      votes: [fault("misconfigured", false), fault("misconfigured", false)],
      isHopeless: true,
    },
    {
      title: "both together leave no quorum",
      votes: [foreign(), fault("misconfigured", false), held()],
      isHopeless: true,
    },
    {
      title: "only one node is misconfigured",
      votes: [fault("misconfigured", false), held()],
      isHopeless: false,
    },
    { title: "only one node holds somebody's data", votes: [foreign(), held()], isHopeless: false },
    {
      title: "nodes are quarantined",
      votes: [fault("quarantined", false), fault("quarantined", false)],
      isHopeless: false,
    },
  ]) {
    it(`${isHopeless ? "ends at once" : "goes on waiting"} where ${title}`, async () => {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.acquire({}, { waitMs: 10_000 });
      bench.answer("acquire", votes);
      await settle();
      expect(outcomes).to.have.length(isHopeless ? 1 : 0);
    });
  }

  for (const { keys, isAdmitted } of [
    { keys: ownedLock(KEYS, "job"), isAdmitted: true },
    { keys: sharedLock(KEYS), isAdmitted: true },
    { keys: KEYS, isAdmitted: false },
  ]) {
    describe(`${keys.words}, of which other attempts had their tokens stored first`, () => {
      /** A quorum grants, but fences above the token keep it from being stored. Then the longest pause. */
      function outrun(bench: CoordinatorBench): void {
        bench.answer("acquire", [granted(7), granted(9)]);
        bench.answer("seal", [held(0)]);
        bench.nodes[2]?.last("acquire").reply(granted(12));
        bench.clock.advance(10);
      }

      it(isAdmitted ? "asks again soon" : "is told so, and not that it is held", () => {
        const bench = new CoordinatorBench();
        const { outcomes } = bench.acquire({}, { waitMs: 0 }, keys);
        outrun(bench);
        expect(bench.counts("acquire")).to.deep.equal(isAdmitted ? [2, 2, 2] : [1, 1, 1]);
        if (isAdmitted) bench.answer("acquire", [granted(12), granted(12)]);
        expect(outcomes[0]).to.include({ kind: isAdmitted ? "granted" : "exhausted" });
      });

      it("does not go on for ever", () => {
        const bench = new CoordinatorBench();
        const { outcomes } = bench.acquire({}, { waitMs: 0 }, keys);
        for (let times = 0; times < 5; times++) outrun(bench);
        expect(outcomes[0]).to.include({ kind: "exhausted", attemptCount: isAdmitted ? 5 : 1 });
      });

      it("begins no attempt a node deadline after its own, however late it is outrun", () => {
        for (let lateMs = 0; lateMs <= 50; lateMs++) {
          const bench = new CoordinatorBench();
          const { outcomes } = bench.acquire({ nodeTimeoutMs: 50 }, { waitMs: 0 }, keys);
          bench.answer("acquire", [granted(7)]);
          bench.clock.advance(Math.min(lateMs, 49));
          bench.answer("acquire", [undefined, granted(9)]);
          bench.clock.advance(lateMs - Math.min(lateMs, 49));
          bench.answer("seal", [held(0)]);
          bench.nodes[2]?.last("acquire").reply(granted(12));
          bench.clock.advance(50 - lateMs);
          const count = bench.counts("acquire")[0] ?? 0;
          if (lateMs < 39) expect(count, `at ${lateMs} ms`).to.equal(isAdmitted ? 2 : 1);
          bench.clock.advance(20);
          expect(bench.counts("acquire")[0], `after ${lateMs} ms`).to.equal(count);
          if (count === 1) expect(outcomes[0]).to.include({ kind: "exhausted" });
        }
      });
    });
  }

  for (const { title, votes, kind } of [
    { title: "no quorum", votes: [fault(), fault(), fault()], kind: "unreachable" },
    // Who waits behind others was never asked for: that somebody has the name, or wants it first, is all it knows.
    { title: "a holder", votes: [held(), held(), held()], kind: "refused" },
    { title: "too little time for a reader", votes: [granted(7), granted(7)], kind: "refused" },
  ]) {
    it(`tells a fair waiter of its process "${kind}" where a call beside its queue found ${title}`, () => {
      const inbox = heardInbox();
      const bench = new CoordinatorBench(3, new ManualClock(), inbox);
      bench.acquire({}, { waitMs: 10_000, fair: true });
      const behind = bench.acquire({}, { waitMs: 30, fair: true });
      bench.clock.advance(1);
      const exacting = { minHoldMs: 985 };
      const beside = bench.acquire(exacting, { waitMs: 0 }, sharedLock(KEYS));
      bench.clock.advance(10);
      bench.answer("acquire", votes);
      expect(beside.outcomes, title).to.have.length(1);
      bench.clock.advance(20);
      expect(behind.outcomes[0]).to.include({ kind, attemptCount: 0 });
    });
  }

  it("settles an abort at once and rolls back, at whatever point it comes", async () => {
    const points: [string, (bench: CoordinatorBench) => void, number[]][] = [
      ["before any vote", () => {}, [1, 1, 1]],
      ["within the round", (bench) => bench.answer("acquire", [granted(7)]), [1, 1, 1]],
      ["while sealing", (bench) => bench.answer("acquire", [granted(7), granted(9)]), [1, 1, 1]],
      ["while pausing", (bench) => bench.answer("acquire", [held(), held()]), [0, 0, 1]],
      [
        "within a later attempt",
        (bench) => {
          bench.answer("acquire", [held(), held()]);
          toNextAttempt(bench);
        },
        [1, 1, 2],
      ],
    ];
    for (const [title, bring, releases] of points) {
      const bench = new CoordinatorBench();
      const { abort, outcomes } = bench.acquire({}, { waitMs: 10_000 });
      bring(bench);
      abort();
      abort();
      await settle();
      expect(
        outcomes.map(({ kind }) => kind),
        title,
      ).to.deep.equal(["aborted"]);
      expect(bench.counts("release"), title).to.deep.equal(releases);
      const askedBefore = bench.counts("acquire");
      await bench.clock.run(1_000, 100);
      expect(bench.counts("acquire"), title).to.deep.equal(askedBefore);
      expect(bench.clock.timerCount, title).to.equal(0);
    }
  });

  it("leaves no timer behind an abort while pausing", () => {
    const bench = new CoordinatorBench();
    const { abort } = bench.acquire({}, { waitMs: 10_000 });
    bench.answer("acquire", [held(), held()]);
    expect(bench.clock.timerCount, "the pause").to.equal(1);
    abort();
    bench.context.schedule.close();
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("ignores an abort behind the grant", async () => {
    const bench = new CoordinatorBench();
    const { abort, outcomes } = bench.acquire();
    bench.answer("acquire", [granted(7), granted(7)]);
    abort();
    await settle();
    expect(outcomes[0]).to.include({ kind: "granted" });
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("rolls every lost attempt back before the next begins, but where it was refused", async () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire({}, { waitMs: 1_000 });
    await play(bench, outcomes, [granted(7), held(), free()], 1_000);
    for (const node of bench.nodes.slice(1)) expect(node.all("release")).to.deep.equal([]);
    for (const node of bench.nodes.slice(0, 1)) {
      const ownersByKind = node.asks.map(
        ({ operation }) => `${operation.kind} ${operation.ownerId}`,
      );
      const expected = node
        .all("acquire")
        .flatMap(({ operation }) => [
          `acquire ${operation.ownerId}`,
          `release ${operation.ownerId}`,
        ]);
      expect(ownersByKind).to.deep.equal(expected);
    }
  });
});

const GRANTED = [granted(7), granted(7), granted(7)];
const HELD = [held(), held(), held()];

/** What the first node was asked for, in order. */
function askedOf({ nodes }: CoordinatorBench): LockKind[] {
  const [node] = nodes;
  return node?.all("acquire").map(({ operation }) => operation.keys) ?? [];
}

describe("The attempts of an acquire", () => {
  it("count once they have begun, from when they did, and not while they wait to be admitted", () => {
    const bench = new CoordinatorBench(3, new ManualClock(), undefined, 1);
    const { clock } = bench;
    const other = bench.acquire({ renew: false });
    clock.flush();
    const { pendingAcquire } = bench.acquire({}, { waitMs: 1_000 }, OTHER);
    expect(pendingAcquire).to.include({ attemptCount: 0, askedMs: Number.POSITIVE_INFINITY });
    clock.advance(30);
    other.abort();
    clock.advance(0);
    expect(pendingAcquire).to.include({ attemptCount: 1, askedMs: clock.now() });
    clock.advance(5);
    bench.answer("acquire", HELD);
    expect(pendingAcquire).to.include({ attemptCount: 1, askedMs: Number.POSITIVE_INFINITY });
  });

  it("follow one another from within the outcome", () => {
    const bench = new CoordinatorBench();
    const { outcomes, pendingAcquire } = bench.acquire({}, { waitMs: 1_000 }, ANY);
    bench.answer("acquire", ONE_FREE);
    expect(pendingAcquire).to.include({ attemptCount: 2, askedMs: bench.clock.now() });
    bench.answer("acquire", GRANTED);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["granted"]);
    expect(pendingAcquire.attempt).to.equal(undefined);
  });

  it("only join its owner while they are out of turn, and ask for the lock in turn", () => {
    const bench = new CoordinatorBench();
    const first = bench.acquire({}, { waitMs: 1_000, fair: true });
    bench.acquire({}, { waitMs: 1_000 }, ownedLock(KEYS, "me"));
    expect(askedOf(bench).map(isJoinOnly)).to.deep.equal([false, true]);
    bench.answer("acquire", HELD);
    first.abort();
    toNextAttempt(bench);
    expect(askedOf(bench).map(isJoinOnly)).to.deep.equal([false, true, false]);
  });

  it("are taken back for a request that steals the name, without an outcome, and others follow", () => {
    const bench = new CoordinatorBench();
    const { outcomes, pendingAcquire } = bench.acquire({}, { waitMs: 1_000 });
    pendingAcquire.yieldTo(KEYS.lockKey);
    pendingAcquire.yieldTo(KEYS.lockKey);
    expect(bench.counts("release")).to.deep.equal([1, 1, 1]);
    bench.answer("acquire", GRANTED);
    expect(outcomes).to.deep.equal([]);
    expect(pendingAcquire).to.include({ attemptCount: 1, attempt: undefined });
    bench.clock.advance(0);
    bench.answer("acquire", GRANTED);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["granted"]);
  });

  it("tell that the nodes have decided after the acquire knows, each once", () => {
    const bench = new CoordinatorBench();
    const told: string[] = [];
    const acquire = new Acquire(
      bench.context,
      { keys: ANY, settings: leaseSettings(), wait: { ...WAIT, waitMs: 1_000 } },
      ({ kind }) => told.push(kind),
      ({ kind }) => told.push(kind),
    );
    acquire.begin();
    const [{ lockKey }] = askedOf(bench) as [LockKind];
    const again = (): void => void told.push("decided again");
    const isAsking = acquire.whenDecided(lockKey, () => {
      told.push("decided");
      // About what it has decided next.
      acquire.whenDecided(lockKey, again);
    });
    expect(isAsking).to.equal(true);
    bench.answer("acquire", ONE_FREE);
    expect(told).to.deep.equal(["refused", "decided"]);
    bench.answer("acquire", GRANTED);
    expect(told.slice(2)).to.deep.equal(["granted", "decided again"]);
    expect(acquire.whenDecided(lockKey, again), "over").to.equal(false);
  });
});

describe("The attempts of an acquire at a name", () => {
  it("ask for it, and know of nothing else that may be free", () => {
    const bench = new CoordinatorBench();
    bench.acquire({}, { waitMs: 1_000 });
    bench.answer("acquire", HELD);
    expect(askedOf(bench)).to.deep.equal([KEYS]);
  });
});

describe("The attempts of an acquire at a permit", () => {
  function permitBench() {
    const bench = new CoordinatorBench();
    const ask = (waitMs = 1_000) => bench.acquire({}, { waitMs }, ANY);
    const permits = (): number[] => askedOf(bench).map((keys) => keys.permits?.numbers?.[0] ?? -1);
    /** What its process believes to hold or to ask for. */
    const taken = (): number[] => {
      const { permits: local } = bench.context.waitQueues;
      return [0, 1, 2, 3].filter((permit) => local.has(ANY, permit));
    };
    return { bench, ask, permits, taken };
  }

  it("ask for one at a time, next for one that is free, until they are given up", () => {
    const { bench, ask, permits, taken } = permitBench();
    const { abort } = ask();
    expect(taken()).to.deep.equal(permits());
    bench.answer("acquire", ONE_FREE);
    expect([permits().at(-1), taken()]).to.deep.equal([2, [2]]);
    abort();
    expect(taken()).to.deep.equal([]);
  });

  /** How often it asks again at once. */
  function quickTries(bench: CoordinatorBench): number {
    const before = bench.counts("acquire")[0] ?? 0;
    for (let count = 0; ; count++) {
      bench.answer("acquire", ONE_FREE);
      if ((bench.counts("acquire")[0] ?? 0) === before + count) return count;
    }
  }

  it("pause after so many quick tries, and then have as many again", () => {
    const { bench, ask, permits } = permitBench();
    ask(10_000);
    expect(quickTries(bench)).to.equal(16);
    toNextAttempt(bench);
    expect(permits().at(-1), "from all").to.not.equal(2);
    expect(quickTries(bench)).to.equal(16);
  });

  it("have as many again after a pause for another reason", () => {
    const { bench, ask } = permitBench();
    ask(10_000);
    bench.answer("acquire", ONE_FREE);
    bench.answer("acquire", HELD);
    toNextAttempt(bench);
    expect(quickTries(bench)).to.equal(16);
  });

  it("ask for no other outside of what is left of its time", () => {
    const { bench, ask, permits, taken } = permitBench();
    const { outcomes } = ask(0);
    bench.clock.advance(50);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
    expect(permits()).to.have.length(1);
    expect(taken()).to.deep.equal([]);
  });

  it("keep no permit from others that an aborted attempt has asked for", () => {
    const { bench, permits, taken, ask } = permitBench();
    const { pendingAcquire } = ask(10_000);
    for (let count = 1; count <= 8; count++) {
      expect(taken()).to.deep.equal(permits().slice(-1));
      const { lockKey } = askedOf(bench).at(-1) as LockKind;
      pendingAcquire.yieldTo(lockKey);
      expect(taken(), `after ${count}`).to.deep.equal([]);
      bench.clock.advance(0);
    }
  });

  it("keep the one that is granted", () => {
    const { bench, ask, permits, taken } = permitBench();
    const { outcomes } = ask();
    bench.answer("acquire", GRANTED);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["granted"]);
    expect(taken()).to.deep.equal(permits());
  });
});
