import { expect } from "chai";
import * as fc from "fast-check";
import {
  clampProposal,
  fenceSlackUs,
  isPlausibleToken,
  MAX_FENCE,
  nextFence,
  nextProposal,
  sealState,
} from "../../src/protocol/fencing.js";

const us = fc.integer({ min: 0, max: 2 ** 52 });
const slack = fc.integer({ min: 0, max: 2 ** 40 });

describe("clampProposal", () => {
  it("stays within the slack of the node's clock on both sides", () => {
    fc.assert(
      fc.property(us, us, slack, (proposal, nodeTimeUs, slackUs) => {
        const clamped = clampProposal(proposal, nodeTimeUs, slackUs);
        expect(clamped).to.be.within(nodeTimeUs - slackUs, nodeTimeUs + slackUs);
      }),
    );
  });

  it("leaves a proposal within the slack as it is, and moves no other further than needed", () => {
    expect(clampProposal(1_000, 1_100, 100)).to.equal(1_000);
    expect(clampProposal(1_200, 1_100, 100)).to.equal(1_200);
    expect(clampProposal(999, 1_100, 100)).to.equal(1_000);
    expect(clampProposal(1_201, 1_100, 100)).to.equal(1_200);
  });
});

describe("nextFence", () => {
  it("always grows, whatever is proposed and whatever the time is", () => {
    fc.assert(
      fc.property(us, us, us, slack, (fence, proposal, nodeTimeUs, slackUs) => {
        expect(nextFence(fence, proposal, nodeTimeUs, slackUs)).to.be.at.least(fence + 1);
      }),
    );
  });

  it("keeps a mad client clock from using up the counter", () => {
    fc.assert(
      fc.property(us, us, slack, (fence, nodeTimeUs, slackUs) => {
        const lifted = nextFence(fence, Number.MAX_VALUE, nodeTimeUs, slackUs);
        expect(lifted).to.be.at.most(Math.max(fence + 1, nodeTimeUs + slackUs));
      }),
    );
  });

  it("starts a forgotten counter at the time of day, less the slack, at the least", () => {
    expect(nextFence(0, 0, 1_700_000_000_000_000, 15_000_000)).to.equal(1_699_999_985_000_000);
  });

  it("lands above the tokens of before a loss that was outwaited, whatever clients propose", () => {
    // Before: a client as far ahead as it may. After: one as far behind, a quarantine later.
    fc.assert(
      fc.property(
        us,
        us,
        us,
        fc.integer({ min: 10, max: 86_400_000 }),
        (timeUs, a, b, maxTtlMs) => {
          const slackUs = fenceSlackUs(maxTtlMs);
          const before = nextFence(0, a, timeUs, slackUs);
          const after = nextFence(0, b, timeUs + maxTtlMs * 1_000, slackUs);
          expect(after).to.be.greaterThan(before);
        },
      ),
    );
  });

  it("gives nodes with the same fence, and the proposal within their slack, the same fence", () => {
    fc.assert(
      fc.property(us, us, fc.integer({ min: 0, max: 1_000 }), (fence, proposal, skew) => {
        expect(nextFence(fence, proposal, proposal + skew, 1_000)).to.equal(
          nextFence(fence, proposal, proposal - skew, 1_000),
        );
      }),
    );
  });
});

describe("fenceSlackUs", () => {
  it("allows a quarter of the quarantine, so that nodes whose clocks differ by seconds agree at once", () => {
    expect(fenceSlackUs(60_000)).to.equal(15_000_000);
  });

  it("is less than half the quarantine on both sides together", () => {
    for (const maxTtlMs of [10, 11, 1_000, 60_000, 86_400_000]) {
      expect(fenceSlackUs(maxTtlMs)).to.be.lessThan((maxTtlMs * 1_000) / 2);
      expect(Number.isInteger(fenceSlackUs(maxTtlMs))).to.equal(true);
    }
  });
});

describe("nextProposal", () => {
  it("grows with every call, also while the wall clock stands still or steps back", () => {
    fc.assert(
      fc.property(fc.array(us, { minLength: 2, maxLength: 50 }), (readings) => {
        let last = 0;
        for (const wallUs of readings) {
          const proposal = nextProposal(last, wallUs);
          expect(proposal).to.be.greaterThan(last);
          last = proposal;
        }
      }),
    );
  });

  it("is the time of day in whole microseconds once that has moved on", () => {
    expect(nextProposal(5, 1_234.9)).to.equal(1_234);
  });
});

describe("sealState", () => {
  it("tells how a fence stands to the token", () => {
    expect(sealState(6, 7)).to.equal("behind");
    expect(sealState(7, 7)).to.equal("sealed");
    expect(sealState(8, 7)).to.equal("ahead");
  });

  it("still tells neighbours apart at the largest fence", () => {
    expect(sealState(MAX_FENCE - 1, MAX_FENCE)).to.equal("behind");
    expect(sealState(MAX_FENCE, MAX_FENCE)).to.equal("sealed");
    expect(MAX_FENCE).to.equal(2 ** 53 - 1);
  });
});

describe("isPlausibleToken", () => {
  const ttl = fc.integer({ min: 10, max: 86_400_000 });
  const wall = fc.integer({ min: 2 ** 50, max: 2 ** 51 });

  it("believes every token of nodes whose clocks are within the slack of ours", () => {
    fc.assert(
      fc.property(
        ttl,
        wall,
        us,
        fc.integer({ min: -1_000, max: 1_000 }),
        (ttlMs, wallUs, any, off) => {
          const slackUs = fenceSlackUs(ttlMs);
          const nodeTimeUs = wallUs + Math.trunc((slackUs * off) / 1_000);
          const token = nextFence(0, any, nodeTimeUs, slackUs);
          expect(isPlausibleToken(token, wallUs, ttlMs)).to.equal(true);
        },
      ),
    );
  });

  it("believes none that is further ahead than both slacks", () => {
    fc.assert(
      fc.property(ttl, wall, us, (ttlMs, wallUs, moreUs) => {
        const limit = wallUs + 2 * fenceSlackUs(ttlMs);
        expect(isPlausibleToken(limit, wallUs, ttlMs)).to.equal(true);
        expect(isPlausibleToken(limit + 1 + moreUs, wallUs, ttlMs)).to.equal(false);
      }),
    );
    expect(isPlausibleToken(MAX_FENCE, Date.now() * 1_000, 60_000)).to.equal(false);
  });
});
