import { expect } from "chai";
import type { AttemptFailure } from "../../src/protocol/attempt-failure.js";
import { Acquire } from "../../src/coordinator/acquire.js";
import { CoordinatorBench, KEYS, leaseSettings } from "../support/coordinator-bench.js";
import { fault, granted, held } from "../support/votes.js";

const WAIT = { waitMs: Number.POSITIVE_INFINITY, minDelayMs: 10, maxDelayMs: 250, fair: false };

function campaignAfter(delayMs: number) {
  const bench = new CoordinatorBench();
  const outcomes: string[] = [];
  const setbacks: AttemptFailure["kind"][] = [];
  const campaign = new Acquire(
    bench.context,
    { keys: KEYS, settings: leaseSettings(), wait: WAIT, delayMs },
    ({ kind }) => outcomes.push(kind),
    ({ kind }) => setbacks.push(kind),
  );
  campaign.begin();
  return { bench, campaign, outcomes, setbacks };
}

describe("a campaign", () => {
  it("asks after its pause, and not before", () => {
    const { bench, outcomes } = campaignAfter(100);
    bench.clock.advance(99);
    expect(bench.counts("acquire")).to.deep.equal([0, 0, 0]);
    bench.clock.advance(1);
    expect(bench.counts("acquire")).to.deep.equal([1, 1, 1]);
    bench.answer("acquire", [granted(7), granted(7)]);
    expect(outcomes).to.deep.equal(["granted"]);
  });

  it("goes on for hours, and tells of every setback", () => {
    const { bench, outcomes, setbacks } = campaignAfter(0);
    bench.answer("acquire", [fault(), fault()]);
    for (let hour = 0; hour < 3; hour++) {
      const before = bench.counts("acquire")[0];
      while (bench.counts("acquire")[0] === before) bench.clock.advance(5);
      bench.answer("acquire", [held(), held()]);
      bench.clock.suspend(3_600_000);
    }
    expect(outcomes).to.deep.equal([]);
    expect(setbacks).to.deep.equal(["unreachable", "refused", "refused", "refused"]);
  });

  for (const [when, delayMs] of [
    ["in its pause", 100],
    ["while it asks", 0],
  ] as const) {
    it(`that is called off ${when} leaves no timer, asks no more, and says so once`, () => {
      const { bench, campaign, outcomes } = campaignAfter(delayMs);
      campaign.abort();
      campaign.abort();
      expect(outcomes).to.deep.equal(["aborted"]);
      const asked = bench.counts("acquire");
      bench.clock.advance(1_000);
      expect(bench.clock.timerCount).to.equal(0);
      expect(bench.counts("acquire")).to.deep.equal(asked);
      // What was sent is taken back.
      expect(bench.counts("release")).to.deep.equal(asked);
    });
  }
});
