import { expect } from "chai";
import * as fc from "fast-check";
import {
  agreedOffsetMs,
  clockOffset,
  consensusOf,
  offsetLimitMs,
  strayMs,
  type ClockOffset,
} from "../../src/protocol/clock-offset.js";

const off = (offsetMs: number, errorMs = 1): ClockOffset => ({ offsetMs, errorMs });

describe("clockOffset", () => {
  it("is right to within its error, however long either way took", () => {
    const ms = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(ms, ms, fc.integer({ min: -9_000, max: 9_000 }), (there, back, trueOffsetMs) => {
        const sentMs = 1_000_000;
        const nodeMs = Math.floor(sentMs + there + trueOffsetMs);
        const { offsetMs, errorMs } = clockOffset(nodeMs, sentMs + there + back, there + back);
        expect(Math.abs(offsetMs - trueOffsetMs)).to.be.at.most(errorMs);
      }),
    );
  });
});

describe("offsetLimitMs", () => {
  for (const [clockStepMs, limitMs] of [
    [0, 1_000],
    [500, 250],
    [2_000, 1_000],
    [30_000, 1_000],
  ] as const) {
    it(`is ${limitMs} ms where a clock may gain ${clockStepMs} ms`, () => {
      expect(offsetLimitMs(clockStepMs)).to.equal(limitMs);
    });
  }
});

describe("strayMs", () => {
  const table: [string, ClockOffset, ClockOffset[], number][] = [
    ["a node that is right among nodes that are", off(2), [off(0), off(-2)], 0],
    ["the one node that is off", off(5_000), [off(1), off(0)], 4_998],
    ["a right node beside one that is off", off(0), [off(5_000), off(1)], 0],
    ["nodes that agree, where ours is off", off(5_000), [off(5_000), off(5_001)], 0],
    ["the only node: ours counts", off(-5_000), [], 4_998],
    ["of two nodes the one that is off", off(5_000), [off(1)], 4_997],
    ["of two nodes the one that agrees with ours", off(1), [off(5_000)], 0],
    ["what messages took too long for", off(5_000, 6_000), [off(0)], 0],
    ["what another's messages took too long for", off(3_000), [off(0, 4_000), off(0)], 0],
  ];
  for (const [title, offset, others, expected] of table) {
    it(`finds ${expected} ms at ${title}`, () => {
      expect(strayMs(offset, consensusOf([offset, ...others]))).to.equal(expected);
    });
  }
});

describe("agreedOffsetMs", () => {
  const table: [string, number, ClockOffset[], number | undefined][] = [
    ["our clock, which is right", 3, [off(2), off(0), off(-2)], 0],
    ["our clock, which is off by less than a second", 3, [off(990), off(991), off(992)], 991],
    ["nodes that agree", 3, [off(-30_000), off(-30_010), off(-29_990)], -30_000],
    ["a quorum that agrees", 3, [off(30_000), off(-500_000), off(30_001)], 30_000],
    ["as many as a quorum, as far as they are known", 3, [off(30_000), off(30_001)], 30_001],
    ["too few", 3, [off(30_000)], undefined],
    ["nodes that do not agree", 3, [off(30_000), off(40_000), off(50_000)], undefined],
    ["a quorum that agrees with ours", 3, [off(0), off(1), off(90_000)], 1],
    [
      "messages that took too long",
      3,
      [off(30_000, 2_000), off(30_000), off(30_000, 2_000)],
      undefined,
    ],
    ["the only node", 1, [off(30_000)], 30_000],
    ["one of two", 2, [off(30_000), off(0)], undefined],
    ["nobody", 3, [], undefined],
  ];
  for (const [title, nodeCount, nodes, expected] of table) {
    it(`is ${expected ?? "unknown"} with ${title}`, () => {
      expect(agreedOffsetMs(nodes, nodeCount)).to.equal(expected);
    });
  }

  it("is nearly the same for any two processes that go by quorums of the same nodes", () => {
    const nodeMs = fc.oneof(
      fc.integer({ min: -900, max: 900 }),
      fc.integer({ min: -9e5, max: 9e5 }),
    );
    const own = fc.integer({ min: -9e5, max: 9e5 });
    const seen = fc.array(fc.boolean(), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(
        fc.array(nodeMs, { minLength: 5, maxLength: 5 }),
        ...([own, seen, own, seen] as const),
        (nodesMs, oneMs, seenByOne, otherMs, seenByOther) => {
          const timeOf = (ownMs: number, seenBy: boolean[]): number | undefined => {
            const nodes = nodesMs.filter((_, index) => seenBy[index]).map((ms) => off(ms - ownMs));
            const byMs = agreedOffsetMs(nodes, 5);
            return byMs === undefined ? undefined : ownMs + byMs;
          };
          const [one, other] = [timeOf(oneMs, seenByOne), timeOf(otherMs, seenByOther)];
          if (one === undefined || other === undefined) return;
          expect(Math.abs(one - other)).to.be.at.most(2_000);
        },
      ),
      { numRuns: 500 },
    );
  });
});
