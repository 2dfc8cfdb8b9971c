import { expect } from "chai";
import * as fc from "fast-check";
import { FENCE_STEP, fenceAfter } from "../../src/protocol/fencing.js";
import { nextProposal, Proposals } from "../../src/coordinator/proposals.js";

const us = fc.integer({ min: 0, max: 2 ** 52 });

describe("fencing proposals of a process", () => {
  it("are the same within a turn, and larger in the next, whatever the wall clock does", () => {
    const turns = fc.array(fc.tuple(fc.nat(1_000), fc.integer({ min: 1, max: 3 })));
    fc.assert(
      fc.property(turns, (all) => {
        const deferred: (() => void)[] = [];
        let wallUs = 0;
        const proposals = new Proposals({
          wallUs: () => wallUs,
          defer: (callback) => deferred.push(callback),
        });
        let last = 0;
        for (const [us, count] of all) {
          wallUs = us;
          const asked = Array.from({ length: count }, () => proposals.current);
          expect(new Set(asked).size).to.equal(1);
          expect(asked[0]).to.equal(Math.max(fenceAfter(last), us - (us % FENCE_STEP)));
          last = asked[0] ?? Number.NaN;
          for (const callback of deferred.splice(0)) callback();
        }
      }),
    );
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
          expect(proposal % FENCE_STEP).to.equal(0);
          last = proposal;
        }
      }),
    );
  });

  it("is the time of day in microseconds, down to a fence, once that has moved on", () => {
    expect(nextProposal(5, 1_234.9)).to.equal(1_220);
  });
});
