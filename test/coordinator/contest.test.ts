import { expect } from "chai";
import type { RefusedVote, Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { fault, foreign, granted, held } from "../support/votes.js";

const TIMEOUT_MS = leaseSettings().nodeTimeoutMs;

/** By others whose ownerIds are below, or above, those of all in these tests. */
const byLower = (): RefusedVote => ({ ...held(), holder: "------" });
const byHigher = (): RefusedVote => ({ ...held(), holder: "zzzzzz" });
const byHighest = (): RefusedVote => ({ ...held(), holder: "zzzzzzz" });

/** A call that does not wait, on so many nodes. */
function contested(nodeCount = 3) {
  const bench = new CoordinatorBench(nodeCount);
  const { outcomes, abort, pendingAcquire } = bench.acquire();
  return {
    ...{ bench, outcomes, abort, pendingAcquire },
    /** The nodes answer their last acquire after so many ms. */
    answerAfter: (ms: number, votes: readonly (Vote | undefined)[]) => {
      bench.clock.advance(ms);
      bench.answer("acquire", votes);
    },
    ownersAt: (node: number) =>
      bench.nodes[node]?.all("acquire").map(({ operation }) => operation.ownerId) ?? [],
    kinds: () => outcomes.map(({ kind }) => kind),
  };
}

describe("an acquire whose nodes are split", () => {
  it("keeps its node and asks the others again at once, as the same owner, where it is the lowest", () => {
    const { bench, answerAfter, ownersAt, kinds } = contested();
    answerAfter(2, [granted(7), byHigher(), byHighest()]);
    expect(bench.counts("acquire")).to.deep.equal([1, 2, 2]);
    expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
    expect(new Set([0, 1, 2].flatMap(ownersAt)).size).to.equal(1);
    answerAfter(2, [undefined, granted(7)]);
    expect(kinds()).to.deep.equal(["granted"]);
  });

  it("asks those that go on refusing it at longer and longer pauses, and at once where it is its turn", () => {
    const { bench, answerAfter, pendingAcquire, ownersAt } = contested();
    const counts = (): (number | undefined)[] => bench.counts("acquire");
    answerAfter(5, [granted(7), byHigher(), byHighest()]);
    for (let ask = 2; ask <= 3; ask++) {
      expect(counts()).to.deep.equal([1, ask, ask]);
      answerAfter(5, [undefined, byHigher(), byHighest()]);
    }
    bench.clock.advance(4);
    expect(counts(), "in a pause of twice the round trip").to.deep.equal([1, 3, 3]);
    pendingAcquire.attempt?.hurry(bench.clock.now(), true);
    expect(counts(), "told").to.deep.equal([1, 4, 4]);
    bench.clock.advance(20);
    expect(counts(), "once").to.deep.equal([1, 4, 4]);
    expect(new Set([0, 1, 2].flatMap(ownersAt)).size).to.equal(1);
  });

  it("asks at once where it was told that it is its turn while nodes were asked", () => {
    const { bench, answerAfter, pendingAcquire } = contested();
    answerAfter(5, [granted(7), byHigher(), byHighest()]);
    pendingAcquire.attempt?.hurry(bench.clock.now(), true);
    for (let ask = 3; ask <= 4; ask++) answerAfter(0, [undefined, byHighest(), byHigher()]);
    expect(bench.counts("acquire"), "once").to.deep.equal([1, 3, 3]);
  });

  it("L5: asks at most 60 times within 100 ms, whatever one node publishes after a quorum", () => {
    const inbox = { id: "an-inbox", isHeard: false, listen: () => {} };
    const bench = new CoordinatorBench(3, undefined, inbox);
    bench.acquire({}, { waitMs: 10_000, fair: true });
    bench.answer("acquire", [granted(7), byHigher(), byHighest()]);
    const { waitQueues } = bench.context;
    waitQueues.onTurn(2, KEYS, 20);
    const before = bench.counts("acquire")[1] ?? 0;
    for (let n = 0; n < 500; n++) {
      waitQueues.onTurn(1, KEYS, 20);
      bench.answer("acquire", [undefined, byHigher(), byHighest()]);
      bench.clock.advance(0.2);
    }
    expect((bench.counts("acquire")[1] ?? 0) - before).to.be.within(10, 60);
  });

  it("asks at once where it is its turn, however fast the nodes are", () => {
    const { bench, answerAfter, pendingAcquire } = contested();
    answerAfter(0, [granted(7), byHigher(), byHighest()]);
    answerAfter(0, [undefined, byHighest(), byHigher()]);
    expect(bench.counts("acquire"), "in a pause of 2 ms").to.deep.equal([1, 2, 2]);
    pendingAcquire.attempt?.hurry(bench.clock.now(), true);
    expect(bench.counts("acquire"), "told").to.deep.equal([1, 3, 3]);
  });

  it("has the validity of its first send", () => {
    const { outcomes, answerAfter } = contested();
    answerAfter(20, [granted(7), byHigher(), byHighest()]);
    answerAfter(20, [undefined, granted(7)]);
    const [outcome] = outcomes;
    expect(outcome?.kind === "granted" && outcome.lease.validUntilMs).to.equal(1_988);
  });

  it("brings its token to the node that it kept, if the others were further", () => {
    const { bench, answerAfter, kinds } = contested();
    answerAfter(2, [granted(7), byHigher(), byHighest()]);
    answerAfter(2, [undefined, granted(9), granted(9)]);
    // Two nodes are enough for the token; of the first round one has another fence.
    expect(bench.counts("seal")).to.deep.equal([1, 0, 0]);
    expect(bench.nodes[0]?.last("seal").operation.fence).to.equal(9);
    bench.answer("seal", [granted(9)]);
    expect(kinds()).to.deep.equal(["granted"]);
  });

  it("asks all anew where others get its nodes before its token is stored, within the same time", () => {
    const { bench, answerAfter, kinds, ownersAt } = contested();
    answerAfter(2, [granted(7), granted(9)]);
    expect(bench.counts("seal")).to.deep.equal([1, 0, 0]);
    bench.clock.advance(2);
    bench.answer("acquire", [undefined, undefined, byLower()]);
    bench.answer("seal", [byHigher()]);
    expect(kinds()).to.deep.equal([]);
    bench.clock.advance(TIMEOUT_MS / 2);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    expect(new Set(ownersAt(0)).size).to.equal(2);
    bench.answer("acquire", [granted(12), granted(12), granted(12)]);
    expect(kinds()).to.deep.equal(["granted"]);
  });

  it("asks no more where one other has got a quorum before its token is stored", () => {
    const { bench, answerAfter, kinds } = contested();
    answerAfter(2, [granted(7), granted(9)]);
    bench.answer("acquire", [undefined, undefined, byHigher()]);
    bench.answer("seal", [byHigher()]);
    expect(kinds()).to.deep.equal(["refused"]);
    bench.clock.advance(1_000);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
  });

  it("goes on asking while now these and now those have the rest, at most every 2 ms", () => {
    const { bench, answerAfter } = contested();
    answerAfter(0, [granted(7), byHigher(), byHighest()]);
    for (let ms = 0; ms < 20; ms++) {
      const by = ms % 4 < 2 ? [byHigher(), byHighest()] : [byHighest(), byHigher()];
      bench.answer("acquire", [undefined, ...by]);
      bench.clock.advance(1);
    }
    const [first, second] = bench.counts("acquire");
    expect(first).to.equal(1);
    expect(second).to.be.within(10, 12);
  });

  for (const callCount of [1, 5, 12]) {
    it(`L5: ask at most 60 times within 100 ms, where ${callCount} of a process keep nodes`, () => {
      const bench = new CoordinatorBench(3);
      for (let count = 0; count < callCount; count++) bench.acquire({ nodeTimeoutMs: 1_000 });
      for (let ms = 0; ms < 100; ms++) {
        bench.clock.advance(1);
        // Those that have been answered do not mind another answer.
        bench.nodes.forEach((node, index) => {
          const vote = [granted(7), byHigher(), byHighest()][index] ?? granted(7);
          for (const { reply } of node.all("acquire")) reply(vote);
        });
      }
      const counts = bench.counts("acquire");
      expect(counts[0]).to.equal(callCount);
      expect(counts[1]).to.be.within(2 * callCount + 1, 60);
      expect(bench.context.keepers.countOf(KEYS.lockKey)).to.equal(callCount);
      bench.clock.advance(2_000);
      expect(bench.context.keepers.countOf(KEYS.lockKey)).to.equal(0);
    });
  }

  it("rolls back and asks all anew after one to two round trips, as another owner, where it is not", () => {
    const { bench, answerAfter, ownersAt } = contested();
    answerAfter(5, [granted(7), byLower(), byHigher()]);
    expect(bench.counts("release")).to.deep.equal([1, 0, 0]);
    bench.clock.advance(4);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    bench.clock.advance(6);
    expect(bench.counts("acquire")).to.deep.equal([2, 2, 2]);
    expect(new Set(ownersAt(0)).size).to.equal(2);
  });

  for (const [title, votes] of [
    ["a quorum of one other", [byHigher(), byHigher()]],
    ["a quorum of somebody", [held(), held()]],
    ["a quorum of data", [foreign(), foreign()]],
  ] as const) {
    it(`is refused at once by ${title}`, () => {
      const { answerAfter, kinds, bench } = contested();
      answerAfter(1, votes);
      expect(kinds()).to.deep.equal(["refused"]);
      bench.clock.advance(1_000);
      expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    });
  }

  for (const [title, votes, most] of [
    ["yields", [granted(7), byLower(), byHigher()], 40],
    ["keeps its node", [granted(7), byHigher(), byHighest()], 1],
  ] as const) {
    it(`L1, E1: is told of the split before its node deadline, however often it ${title}, and asks while a quarter is left`, () => {
      const { bench, outcomes, kinds } = contested();
      const askUntilMs = (TIMEOUT_MS * 3) / 4;
      let askedMs = 0;
      for (let ms = 0; ms <= TIMEOUT_MS; ms++) {
        // The last ask is of those that refused: all are asked a round trip before, which is 2 ms at least.
        if (ms < askUntilMs - 2) expect(kinds()).to.deep.equal([]);
        const before = bench.counts("acquire")[1];
        bench.answer("acquire", votes);
        bench.clock.advance(1);
        if (bench.counts("acquire")[1] !== before) askedMs = ms + 1;
      }
      expect(askedMs).to.be.within(askUntilMs - 12, askUntilMs + 1);
      expect(kinds()).to.deep.equal(["split"]);
      expect(outcomes[0]?.attemptCount).to.be.within(1, most);
      bench.clock.advance(1_000);
      expect(outcomes).to.have.length(1);
    });
  }

  it("is told that it is unreachable where nodes have not answered in the time that they may take", () => {
    const { bench, outcomes } = contested();
    bench.answer("acquire", [granted(7), byLower()]);
    bench.clock.advance(TIMEOUT_MS);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(["unreachable"]);
  });

  it("is told that it is unreachable at once where no quorum can answer", () => {
    const { answerAfter, kinds } = contested();
    answerAfter(0, [fault(), fault()]);
    expect(kinds()).to.deep.equal(["unreachable"]);
  });

  it("waits a quarter of the node deadline for a silent node, and contends for the others", () => {
    const { bench, answerAfter } = contested();
    answerAfter(1, [granted(7), byHigher()]);
    bench.clock.advance(TIMEOUT_MS / 4 - 2);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    bench.clock.advance(1);
    expect(bench.counts("acquire")).to.deep.equal([1, 2, 1]);
  });

  it("takes the vote of a node that was not waited for any more", () => {
    const { bench, answerAfter, kinds } = contested();
    answerAfter(1, [granted(7), byHigher()]);
    bench.clock.advance(TIMEOUT_MS / 4);
    bench.answer("acquire", [undefined, undefined, granted(7)]);
    expect(kinds()).to.deep.equal(["granted"]);
  });

  it("E1: is told what a node said that was not waited for, where it cannot ask again", () => {
    const { bench, answerAfter, kinds } = contested();
    answerAfter(1, [granted(7), byLower()]);
    bench.clock.advance(TIMEOUT_MS / 4);
    expect(bench.counts("release")).to.deep.equal([1, 0, 1]);
    bench.answer("acquire", [undefined, undefined, byLower()]);
    bench.clock.suspend(TIMEOUT_MS);
    bench.clock.advance(TIMEOUT_MS);
    expect(kinds()).to.deep.equal(["refused"]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
  });

  it("L3: rolls back on all nodes that may have it if it is given up between two asks", () => {
    const { bench, abort, answerAfter, kinds } = contested();
    answerAfter(0, [granted(7), byHigher(), byHighest()]);
    bench.answer("acquire", [undefined, byHigher(), byHighest()]);
    abort();
    expect(kinds()).to.deep.equal(["aborted"]);
    expect(bench.counts("release")[0]).to.equal(1);
    const asked = bench.counts("acquire");
    bench.clock.advance(1_000);
    expect(bench.counts("acquire")).to.deep.equal(asked);
  });

  it("asks no more after an abort in the pause", () => {
    const { bench, abort, answerAfter, kinds } = contested();
    answerAfter(5, [granted(7), byLower(), byHigher()]);
    abort();
    bench.clock.advance(1_000);
    expect(kinds()).to.deep.equal(["aborted"]);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
  });
});
