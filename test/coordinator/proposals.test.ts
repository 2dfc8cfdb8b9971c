import { expect } from "chai";
import * as fc from "fast-check";
import { Proposals } from "../../src/coordinator/proposals.js";

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
          expect(asked[0]).to.equal(Math.max(last + 1, us));
          last = asked[0] ?? Number.NaN;
          for (const callback of deferred.splice(0)) callback();
        }
      }),
    );
  });
});
