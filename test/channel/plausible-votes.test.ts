import { expect } from "chai";
import type { Entry } from "../../src/channel/entry.js";
import { PlausibleVotes } from "../../src/channel/plausible-votes.js";
import { FENCE_LEAD_US, MAX_FENCE } from "../../src/protocol/fencing.js";
import { permitLock } from "../../src/kinds/permit.js";
import type { Vote } from "../../src/protocol/operation.js";
import { MAX_SIZE_VERSION } from "../../src/protocol/semaphore-size.js";
import { operation } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, granted, held } from "../support/votes.js";

class Bench {
  readonly clock = new ManualClock();
  /** Of the nodes that have shown theirs. */
  timesMs: number[] = [];
  readonly told: (readonly [index: number, message: string])[] = [];
  readonly answers: (readonly [index: number, vote: Vote])[] = [];
  readonly votes = new PlausibleVotes(3, this.clock, this, (index, message) =>
    this.told.push([index, message]),
  );

  get nowMs(): number {
    return this.clock.wallUs() / 1_000;
  }

  get limit(): number {
    return this.clock.wallUs() + FENCE_LEAD_US;
  }

  pass(
    index: number,
    vote: Vote,
    { sendBeforeMs = Number.POSITIVE_INFINITY, wasSent = false } = {},
    asked: Entry["operation"] = operation("acquire", "a", { sendBeforeMs }),
  ): void {
    const receiver = { onVote: (at: number, passed: Vote) => this.answers.push([at, passed]) };
    const entry: Entry = { operation: asked, receiver, index, mayHold: false, wasSent };
    this.votes.pass(entry, vote);
  }
}

describe("PlausibleVotes", () => {
  it("passes on all others as they are", () => {
    const bench = new Bench();
    const votes = [granted(), granted(700), granted(bench.limit), held(5), fault("server")];
    votes.forEach((vote) => bench.pass(1, vote));
    expect(bench.answers.map(([, vote]) => vote)).to.deep.equal(votes);
    expect(bench.told).to.deep.equal([]);
  });

  it("takes no second sending that found nothing for proof that nothing was there", () => {
    const bench = new Bench();
    const free: Vote = { kind: "refused", reason: "free", remainingMs: 0, label: undefined };
    bench.pass(0, free);
    bench.pass(0, granted(), { wasSent: true });
    bench.pass(0, free, { wasSent: true });
    const [first, second, third] = bench.answers.map(([, vote]) => vote);
    expect([first, second]).to.deep.equal([free, granted()]);
    expect(third).to.include({ kind: "fault", fault: "disconnected", sent: true });
  });

  for (const more of [1, MAX_FENCE, Number.NaN]) {
    it(`makes a fault of one with a fence that is ${more} above the limit, with the remedy`, () => {
      const bench = new Bench();
      bench.timesMs = [bench.nowMs, bench.nowMs];
      bench.pass(2, granted(Math.min(MAX_FENCE, bench.limit + more)));
      const [[index, vote] = []] = bench.answers;
      expect(index).to.equal(2);
      expect(vote).to.include({ kind: "fault", fault: "implausible", sent: true });
      const { message } = vote as Extract<Vote, { kind: "fault" }>;
      expect(message).to.match(/^its fence \w+ is more than ten years ahead of all clocks: delete/);
      expect(message).to.include("quorate:incarnation");
      expect(bench.told).to.deep.equal([[2, message]]);
    });
  }

  it("makes a fault of what a node has stored under a name, with such a fence", () => {
    const bench = new Bench();
    bench.timesMs = [bench.nowMs, bench.nowMs];
    const nothing = { holder: undefined, remainingMs: 0, waitingCount: 0, coHolders: [] };
    const votes = [bench.limit, MAX_FENCE].map((fence): Vote => ({
      ...granted(),
      snapshot: { ...nothing, fence },
    }));
    votes.forEach((vote) => bench.pass(2, vote));
    const [[, plausible] = [], [, absurd] = []] = bench.answers;
    expect(plausible).to.equal(votes[0]);
    expect(absurd).to.include({ kind: "fault", fault: "implausible", sent: true });
  });

  it("makes a fault of what a node has stored under a name, with such a size of a semaphore", () => {
    const bench = new Bench();
    bench.timesMs = [bench.nowMs, bench.nowMs];
    const limitMs = Math.floor(bench.limit / 1_000);
    const votes = ["3", `3@${limitMs}`, `3@${limitMs + 1}`].map((size): Vote => {
      const holder = `semaphore:${size}`;
      const snapshot = { holder, remainingMs: 9, fence: 700, waitingCount: 0, coHolders: [] };
      return { ...granted(), snapshot };
    });
    votes.forEach((vote) => bench.pass(2, vote));
    const [[, fixed] = [], [, plausible] = [], [, absurd] = []] = bench.answers;
    expect([fixed, plausible]).to.deep.equal(votes.slice(0, 2));
    expect(absurd).to.include({ kind: "fault", fault: "server", sent: true });
  });

  it("makes a fault of one with such a version of a semaphore's size, and passes on what it learns from others", () => {
    const bench = new Bench();
    bench.timesMs = [bench.nowMs, bench.nowMs];
    const learned: number[] = [];
    const { keys } = operation("acquire", "a");
    const size = {
      current: { count: 2, version: 0 },
      learn: ({ version }: { readonly version: number }) => void learned.push(version),
    };
    const asked = { ...operation("acquire", "a"), keys: permitLock(keys, size) };
    const limitMs = Math.floor(bench.limit / 1_000);
    for (const version of [limitMs, limitMs + 1, MAX_SIZE_VERSION])
      for (const vote of [granted(700), held(5)])
        bench.pass(0, { ...vote, size: { count: 9, version } }, {}, asked);
    expect(learned).to.deep.equal([limitMs, limitMs]);
    const faults = bench.answers.slice(2).map(([, vote]) => vote);
    expect(faults).to.have.length(4);
    for (const vote of faults) {
      expect(vote).to.include({ kind: "fault", fault: "server", sent: true });
      expect((vote as Extract<Vote, { kind: "fault" }>).message).to.include("quorate:size");
    }
  });

  it("tells of a node once, until it has another record", () => {
    const bench = new Bench();
    bench.timesMs = [bench.nowMs, bench.nowMs];
    const exhausted = fault("implausible");
    const tell = (): void => [0, 1, 1].forEach((index) => bench.pass(index, granted(MAX_FENCE)));
    tell();
    bench.pass(1, exhausted);
    expect(bench.told.map(([index]) => index)).to.deep.equal([0, 1]);
    bench.votes.onNewRecord(1);
    bench.pass(1, exhausted);
    tell();
    expect(bench.told.map(([index]) => index)).to.deep.equal([0, 1, 1]);
  });

  // A machine without a clock of its own starts in 1970, and no node has been heard of.
  for (const [what, aheadMs, verdict] of [
    ["believes a fence once nodes show that it is ours that is behind", 1.7e12, "granted"],
    ["rejects a fence once nodes agree with ours", 0, "fault"],
  ] as const) {
    it(`waits for clocks to judge by, and ${what}`, () => {
      const bench = new Bench();
      bench.clock.stepWall(-bench.nowMs);
      bench.pass(0, granted(1.7e15));
      bench.timesMs = [bench.nowMs + aheadMs];
      bench.votes.onNodeTime();
      expect(bench.answers).to.deep.equal([]);
      bench.timesMs = [bench.nowMs + aheadMs, bench.nowMs + aheadMs];
      bench.votes.onNodeTime();
      expect(bench.answers.map(([index, { kind }]) => [index, kind])).to.deep.equal([[0, verdict]]);
      bench.votes.onNodeTime();
      expect(bench.answers).to.have.length(1);
    });
  }

  it("keeps none for a round that is over", () => {
    const bench = new Bench();
    bench.clock.stepWall(-bench.nowMs);
    bench.pass(0, granted(1.7e15), { sendBeforeMs: bench.clock.now() + 50 });
    bench.clock.advance(51);
    bench.pass(1, granted(1.7e15), { sendBeforeMs: bench.clock.now() + 50 });
    bench.timesMs = [1.7e12, 1.7e12];
    bench.votes.onNodeTime();
    expect(bench.answers.map(([index]) => index)).to.deep.equal([1]);
  });
});
