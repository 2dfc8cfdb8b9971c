import { expect } from "chai";
import * as fc from "fast-check";
import {
  fenceSlackUs,
  isPlausibleToken,
  MAX_FENCE,
  nextProposal,
  sealState,
} from "../../src/protocol/fencing.js";

const us = fc.integer({ min: 0, max: 2 ** 52 });

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
      fc.property(ttl, wall, fc.integer({ min: -1_000, max: 1_000 }), (ttlMs, wallUs, off) => {
        const slackUs = fenceSlackUs(ttlMs);
        const nodeTimeUs = wallUs + Math.trunc((slackUs * off) / 1_000);
        const furthest = nodeTimeUs + slackUs;
        expect(isPlausibleToken(furthest, wallUs, ttlMs)).to.equal(true);
      }),
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
