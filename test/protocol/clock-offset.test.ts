import { expect } from "chai";
import * as fc from "fast-check";
import {
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
