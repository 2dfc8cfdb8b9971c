import { expect } from "chai";
import { assert, double, integer, property } from "fast-check";
import {
  guardTimes,
  problemOf,
  stageAt,
  stopTimes,
  untilNextStageMs,
  type Stage,
} from "../../../src/cli/exec/stop-times.js";

const DEFAULTS = { graceMs: 10_000, marginMs: 300, lateMs: 15_000 };

/** Of a lock of 30 s, by what is left of it. */
const STAGES: readonly (readonly [remainingMs: number, stage: Stage, nextInMs: number])[] = [
  [29_698, "calm", 14_698],
  [20_000, "calm", 5_000],
  [15_001, "calm", 1],
  [15_000, "late", 4_700],
  [10_301, "late", 1],
  [10_300, "terminate", 10_000],
  [301, "terminate", 1],
  [300, "kill", Number.POSITIVE_INFINITY],
  [0, "kill", Number.POSITIVE_INFINITY],
];

const PROBLEMS: readonly (readonly [
  ttlMs: number,
  graceMs: number,
  nodeTimeoutMs: number,
  says: RegExp | undefined,
  maxHoldMs?: number,
])[] = [
  [30_000, 10_000, 1_000, undefined],
  [30_000, 10_001, 1_000, /--grace must be at most a third of --ttl \(30000 ms\), got 10001 ms/],
  [30_000, 0, 4_850, undefined],
  [30_000, 0, 4_851, /--ttl must be at least 30009 ms with a --node-timeout of 4851 ms/],
  [30_001, 0, 4_850, /--ttl must be at least 30003 ms with a --node-timeout of 4850 ms/],
  [30_000, 0, 20_000, /--ttl must be at least 123714 ms with a --node-timeout of 20000 ms/],
  [900, 300, 50, undefined],
  [899, 0, 50, /--ttl must be at least 900 ms/],
  [30_000, 10_000, 1_000, undefined, 10_301],
  [30_000, 10_000, 1_000, /--max-hold must be more than .* \(10300 ms\), .*; got 10300 ms/, 10_300],
];

describe("When a command is stopped", () => {
  it("is by default a third of the ttl before its end, with a margin", () => {
    expect(stopTimes(30_000)).to.deep.equal(DEFAULTS);
    expect(stopTimes(3_000, 500)).to.deep.equal({ graceMs: 500, marginMs: 200, lateMs: 1_500 });
  });

  for (const [remainingMs, stage, nextInMs] of STAGES) {
    it(`with ${remainingMs} ms left of 30 s: ${stage}`, () => {
      expect(stageAt(remainingMs, DEFAULTS)).to.equal(stage);
      expect(untilNextStageMs(remainingMs, DEFAULTS)).to.equal(nextInMs);
    });
  }

  for (const [ttlMs, graceMs, nodeTimeoutMs, says, maxHoldMs = Infinity] of PROBLEMS) {
    const about = `ttl ${ttlMs}, grace ${graceMs}, node timeout ${nodeTimeoutMs}, max-hold ${maxHoldMs}`;
    it(`${says === undefined ? "is in time" : "is refused"} with ${about}`, () => {
      const lease = { ttlMs, nodeTimeoutMs, maxHoldMs };
      const problem = problemOf(lease, stopTimes(ttlMs, graceMs));
      if (says === undefined) expect(problem).to.equal(undefined);
      else expect(problem).to.match(says);
    });
  }

  it("is in time with the ttl that is advised", () => {
    assert(
      property(
        integer({ min: 10, max: 60_000 }),
        double({ min: 1, max: 60_000, noNaN: true }),
        (ttlMs, nodeTimeoutMs) => {
          const problemWith = (ms: number): string | undefined =>
            problemOf({ ttlMs: ms, nodeTimeoutMs, maxHoldMs: Infinity }, stopTimes(ms));
          const advised = /at least (\d+) ms/.exec(problemWith(ttlMs) ?? "")?.[1];
          expect(problemWith(Number(advised ?? ttlMs))).to.equal(undefined);
        },
      ),
    );
  });

  const times = () =>
    integer({ min: 900, max: 3_600_000 }).chain((ttlMs) =>
      integer({ min: 0, max: Math.floor(ttlMs / 3) }).map((graceMs) => stopTimes(ttlMs, graceMs)),
    );

  it("comes stage by stage, each when the one before said, and ends before the lock does", () => {
    const stages: readonly Stage[] = ["calm", "late", "terminate", "kill"];
    assert(
      property(times(), double({ min: 0, max: 3_600_000, noNaN: true }), (stop, remainingMs) => {
        const at = stages.indexOf(stageAt(remainingMs, stop));
        const nextInMs = untilNextStageMs(remainingMs, stop);
        if (nextInMs === Number.POSITIVE_INFINITY) expect(at).to.equal(3);
        else expect(stages.indexOf(stageAt(remainingMs - nextInMs - 1e-6, stop))).to.be.above(at);
        expect(stageAt(stop.marginMs, stop)).to.equal("kill");
        expect(stop.marginMs).to.be.at.least(200);
      }),
    );
  });

  it("is done by the guard a little later than by quorate, and still in time", () => {
    assert(
      property(times(), integer({ min: 0, max: 3_600_000 }), (stop, remainingMs) => {
        const { terminateInMs, killInMs } = guardTimes(remainingMs, stop);
        expect(terminateInMs).to.be.at.least(
          Math.min(killInMs, remainingMs - stop.graceMs - stop.marginMs),
        );
        expect(terminateInMs).to.be.at.most(killInMs);
        expect(killInMs).to.be.at.least(Math.max(0, remainingMs - stop.marginMs));
        if (remainingMs > stop.marginMs) expect(killInMs).to.be.at.most(remainingMs - 100);
      }),
    );
  });
});
