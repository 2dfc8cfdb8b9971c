import { expect } from "chai";
import type { Vote } from "../../src/protocol/operation.js";
import { Attempt, type AttemptOutcome } from "../../src/coordinator/attempt.js";
import { CoordinatorBench, heardInbox, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, granted, held } from "../support/votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { reservedBy } from "../../src/kinds/reserved.js";

const OTHER = keysOf("lock:", "other");
const INBOX = heardInbox();
const GRANTED = [granted(7), granted(7), granted(7)];
const HELD = [held(60_000), held(60_000), held(60_000)];

/** A process in which one attempt may be under way, and one is: of another name. */
function busyBench() {
  const bench = new CoordinatorBench(3, new ManualClock(), INBOX, 1);
  const other = bench.acquire({ renew: false }, {}, OTHER);
  bench.clock.flush();
  const first = bench.nodes.map((node) => node.last("acquire"));
  return {
    bench,
    other,
    attempts: () => (bench.counts("acquire")[0] ?? 0) - 1,
    /** The other one is done, and there is room. */
    makeRoom: (votes: readonly Vote[] = GRANTED) => {
      votes.forEach((vote, node) => first[node]?.reply(vote));
      bench.clock.advance(0);
    },
  };
}

describe("An acquire that waits for its admission", () => {
  it("has sent nothing, and no deadline of a node runs", () => {
    const { bench, attempts, makeRoom } = busyBench();
    const { outcomes } = bench.acquire({ renew: false });
    bench.clock.advance(40);
    expect(attempts()).to.equal(0);
    makeRoom();
    expect(attempts()).to.equal(1);
    bench.clock.advance(49);
    expect(outcomes).to.deep.equal([]);
    bench.answer("acquire", GRANTED);
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 1 });
  });

  it("S3: counts its validity from when it begins, and proposes a token then", () => {
    const { bench, makeRoom } = busyBench();
    const { outcomes } = bench.acquire({ renew: false });
    bench.clock.advance(40);
    const wallUs = bench.clock.wallUs();
    makeRoom();
    const beganMs = bench.clock.now();
    expect(bench.nodes[0]?.last("acquire").operation.fence).to.be.at.least(wallUs);
    bench.answer("acquire", GRANTED);
    const [outcome] = outcomes;
    if (outcome?.kind !== "granted") return expect.fail(`it is ${outcome?.kind}`);
    expect(outcome.lease.validUntilMs).to.equal(beganMs + 988);
  });

  it("is queued, and no node is to blame, if its time is over first", () => {
    const { bench, attempts, makeRoom } = busyBench();
    const { outcomes } = bench.acquire({}, { waitMs: 30 });
    bench.clock.advance(30);
    expect(outcomes[0]).to.include({ kind: "queued", attemptCount: 0, waitedMs: 30 });
    expect(outcomes[0]).to.deep.include({ votes: [undefined, undefined, undefined] });
    makeRoom();
    bench.clock.advance(100);
    expect(attempts()).to.equal(0);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
  });

  it("makes its one attempt, if it does not wait for the name", () => {
    const { bench, attempts, makeRoom } = busyBench();
    const { outcomes } = bench.acquire({}, { waitMs: 0 });
    bench.clock.advance(45);
    expect(outcomes).to.deep.equal([]);
    makeRoom();
    bench.answer("acquire", HELD);
    expect([attempts(), outcomes[0]?.kind]).to.deep.equal([1, "refused"]);
  });

  it("makes its last attempt when its wait is over, if there is room", () => {
    const bench = new CoordinatorBench(3, new ManualClock(), INBOX, 1);
    const { outcomes } = bench.acquire({}, { waitMs: 100, minDelayMs: 300, maxDelayMs: 300 });
    for (const attemptCount of [1, 2]) {
      bench.clock.advance(1);
      expect(bench.counts("acquire")[0]).to.equal(attemptCount);
      bench.answer("acquire", HELD);
    }
    bench.clock.advance(110);
    expect(bench.counts("acquire")[0]).to.equal(3);
    bench.answer("acquire", [granted(7), granted(7)]);
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 3 });
  });

  it("tells how it was refused before, if its time is over in its second wait", () => {
    const bench = new CoordinatorBench(3, new ManualClock(), INBOX, 1);
    const { outcomes } = bench.acquire({ nodeTimeoutMs: 900 }, { waitMs: 300 });
    bench.clock.flush();
    bench.answer("acquire", HELD);
    bench.acquire({ nodeTimeoutMs: 900 }, {}, OTHER);
    bench.clock.flush();
    bench.clock.advance(300);
    expect(outcomes[0]).to.include({ kind: "refused", attemptCount: 1, waitedMs: 300 });
  });

  it("has the whole deadline of the nodes again where it was too busy for longer than that", () => {
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire();
    const late = fault("late", false);
    // The process stood still: its timers fire after the batch was found to be too late.
    bench.clock.suspend(60);
    bench.answer("acquire", [late, late, late]);
    bench.clock.advance(40);
    bench.answer("acquire", [granted(7), granted(7)]);
    bench.clock.advance(0);
    expect(outcomes[0]).to.include({ kind: "granted", attemptCount: 2 });
  });

  it("begins again where this process was too busy to send it, and the nodes are not to blame", () => {
    const late = fault("late", false);
    for (const { votes, attemptCount } of [
      { votes: [late, late, late], attemptCount: 2 },
      { votes: [granted(7), late, late], attemptCount: 2 },
      { votes: [held(), late, late], attemptCount: 2 },
      { votes: [fault(), fault(), late], attemptCount: 1 },
      { votes: [held(), held(), late], attemptCount: 1 },
      { votes: [late, held(), fault()], attemptCount: 1 },
    ]) {
      const bench = new CoordinatorBench();
      const { outcomes } = bench.acquire();
      bench.answer("acquire", votes);
      bench.clock.advance(0);
      const takenBack = votes.map(({ kind }) => (kind === "refused" ? 0 : 1));
      expect(bench.counts("release"), "taken back").to.deep.equal(takenBack);
      expect(bench.counts("acquire")[0]).to.equal(attemptCount);
      expect(outcomes).to.have.length(2 - attemptCount);
    }
    const bench = new CoordinatorBench();
    const { outcomes } = bench.acquire();
    for (let count = 0; count < 20; count++) {
      if (outcomes.length === 0) bench.answer("acquire", [late, late, late]);
      bench.clock.advance(0);
    }
    expect(outcomes[0], "in the end").to.include({ kind: "unreachable", attemptCount: 9 });
  });

  it("leaves no trace when it is aborted", () => {
    const { bench, attempts, makeRoom } = busyBench();
    const { abort, outcomes } = bench.acquire({}, { waitMs: 1_000 });
    abort();
    expect(outcomes).to.deep.equal([{ kind: "aborted", attemptCount: 0, waitedMs: 0 }]);
    expect(bench.context.admission.waitingCount).to.equal(0);
    makeRoom();
    expect(attempts()).to.equal(0);
    expect(bench.context.schedule.size, "the other's end").to.equal(1);
  });

  it("makes room when it is aborted under way", () => {
    const { bench, other, attempts } = busyBench();
    bench.acquire();
    other.abort();
    bench.clock.advance(0);
    expect(attempts()).to.equal(1);
  });

  for (const [title, votes] of [
    ["a refusal", HELD],
    ["silence", [fault(), fault(), fault()]],
  ] as const) {
    it(`begins after ${title}, too`, () => {
      const { bench, attempts, makeRoom } = busyBench();
      bench.acquire();
      makeRoom(votes);
      expect(attempts()).to.equal(1);
    });
  }

  it("goes first when nodes keep the name for it", () => {
    const { bench, makeRoom } = busyBench();
    bench.acquire({}, {}, keysOf("lock:", "third"));
    bench.acquire({}, { waitMs: 1_000, fair: true });
    for (const node of [0, 1]) {
      bench.context.waitQueues.onTurn(
        node,
        reservedBy({ lockKey: KEYS.lockKey, placePrefix: "", turnMs: 20 }),
        20,
      );
    }
    makeRoom();
    expect(bench.nodes[0]?.last("acquire").operation.keys.name).to.equal(KEYS.name);
  });

  it("gives way to a preemption, and asks behind it", () => {
    const { bench, attempts, makeRoom } = busyBench();
    const { pendingAcquire, outcomes } = bench.acquire({}, { waitMs: 1_000 });
    pendingAcquire.yieldTo(KEYS.lockKey);
    expect(bench.context.admission.waitingCount).to.equal(0);
    bench.clock.advance(0);
    makeRoom();
    expect(attempts()).to.equal(1);
    expect(outcomes).to.deep.equal([]);
  });
});

describe("An attempt whose owner is given", () => {
  for (const { what, votes } of [
    { what: "this process was too late to ask", votes: [1, 2, 3].map(() => fault("late", false)) },
    { what: "the nodes are split", votes: [granted(7), held(60_000), fault()] },
  ]) {
    it(`asks once under that owner, though ${what}: its rollback would delete the keys of another`, () => {
      const bench = new CoordinatorBench();
      const outcomes: AttemptOutcome[] = [];
      const mode = { as: "newcomer", ownerId: "given" } as const;
      const asked = { keys: KEYS, settings: leaseSettings({ renew: false }), mode };
      const attempt = new Attempt(bench.context, asked, {
        onOutcome: (each) => outcomes.push(each),
      });
      bench.context.admission.enter(attempt, "plain");
      expect(bench.nodes[0]?.last("acquire").operation.ownerId).to.equal("given");
      bench.answer("acquire", votes);
      bench.clock.advance(1_000);
      expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
      expect(outcomes).to.have.length(1);
    });
  }
});
