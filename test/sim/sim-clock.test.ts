import { expect } from "chai";
import * as fc from "fast-check";
import { SimClock, STOPPED_PPM } from "../../sim/sim-clock.js";

const ppm = fc.integer({ min: -200_000, max: 200_000 });

describe("a simulated clock", () => {
  it("finds the first true instant at which it shows a time", () => {
    fc.assert(
      fc.property(ppm, fc.nat(10_000_000), fc.nat(10_000_000), (ratePpm, changeUs, aheadUs) => {
        const clock = new SimClock(0, 0);
        clock.setRate(changeUs, ratePpm);
        const target = clock.at(changeUs) + aheadUs;
        const trueUs = clock.trueAt(target);
        expect(clock.at(trueUs)).to.be.at.least(target);
        if (trueUs > changeUs) expect(clock.at(trueUs - 1)).to.be.below(target);
      }),
    );
  });

  it("never runs back, whatever its rate is set to", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), ppm)), (changes) => {
        const clock = new SimClock(0, 0);
        let nowUs = 0;
        for (const [afterUs, ratePpm] of changes) {
          const before = clock.at(nowUs);
          nowUs += afterUs;
          expect(clock.at(nowUs)).to.be.at.least(before);
          clock.setRate(nowUs, ratePpm);
        }
      }),
    );
  });

  it("can stand still", () => {
    const clock = new SimClock(5, 100);
    clock.setRate(1_000, STOPPED_PPM);
    expect(clock.at(9_000_000)).to.equal(clock.at(1_000));
    expect(clock.trueAt(clock.at(1_000) + 1)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("jumps", () => {
    const clock = new SimClock(0, 0);
    clock.jump(10, -4);
    expect(clock.at(10)).to.equal(6);
  });
});
