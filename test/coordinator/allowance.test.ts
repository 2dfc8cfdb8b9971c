import { expect } from "chai";
import * as fc from "fast-check";
import { Allowance } from "../../src/coordinator/allowance.js";

describe("Allowance", () => {
  it("lets so much happen in any second, and a second's worth at once after a rest", () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), pauses, (perSecond, all) => {
        const allowance = new Allowance(perSecond);
        const taken: number[] = [];
        let nowMs = 5_000;
        for (const pauseMs of all) {
          nowMs += pauseMs;
          if (allowance.take(nowMs)) taken.push(nowMs);
        }
        // What had gathered, and what was gained since the first of them.
        taken.forEach((fromMs, at) => {
          const within = taken.filter((ms) => ms >= fromMs && ms - fromMs < 1_000).length;
          expect(within, `from the ${at}th`).to.be.at.most(2 * perSecond);
        });
        nowMs += 1_000;
        const after = Array.from({ length: perSecond + 5 }, () => allowance.take(nowMs));
        expect(after.filter(Boolean)).to.have.length(perSecond);
      }),
    );
  });

  it("gains nothing by a clock that stands or goes back", () => {
    const allowance = new Allowance(2);
    const taken = [100, 100, 100, 50, 100].map((nowMs) => allowance.take(nowMs));
    expect(taken).to.deep.equal([true, true, false, false, false]);
  });
});
