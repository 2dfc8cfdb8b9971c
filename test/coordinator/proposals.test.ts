import { expect } from "chai";
import * as fc from "fast-check";
import { FENCE_STEP, fenceAfter } from "../../src/protocol/fencing.js";
import { Proposals } from "../../src/coordinator/proposals.js";

describe("fencing proposals of a process", () => {
  it("are the same within a turn, and larger in the next, whatever the wall clock does", () => {
    const anyUs = fc.oneof(fc.nat(1_000), fc.integer({ min: 0, max: 2 ** 52 }));
    const turns = fc.array(fc.tuple(anyUs, fc.integer({ min: 1, max: 3 })));
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
