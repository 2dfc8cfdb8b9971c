import { expect } from "chai";
import * as fc from "fast-check";
import { seededChoices } from "../../sim/choices.js";
import { exponentialUs, Link } from "../../sim/link.js";
import { seededRandom } from "../../sim/random.js";
import { World } from "../../sim/world.js";

const RANGE = 2 ** 30;

describe("the delay of a link", () => {
  it("has about the mean it is given, and the tail of an exponential", () => {
    const random = seededRandom(5);
    const delays = Array.from({ length: 20_000 }, () => exponentialUs(random.below(RANGE), 10_000));
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(mean).to.be.within(9_500, 10_500);
    const beyondThree = delays.filter((delay) => delay > 30_000).length / delays.length;
    expect(beyondThree).to.be.within(0.03, 0.07);
  });

  it("has the link's own distance on top, with and without a tail", () => {
    const network = {
      kind: "ordered" as const,
      minDelayUs: 100,
      meanDelayUs: 1_000,
      tailFactor: 5,
      dropPerMille: 0,
      duplicatePerMille: 0,
      zombiePerMille: 0,
    };
    for (const tailPerMille of [0, 1_000]) {
      const delayOf = (distanceUs: number): number => {
        const settings = { ...network, tailPerMille };
        return new Link("l", new World(), seededChoices(3), () => settings, distanceUs).delayUs(
          "m",
        );
      };
      expect(delayOf(7_000) - delayOf(0)).to.equal(7_000);
    }
  });

  it("grows as its random number shrinks, and is never negative", () => {
    const number = fc.nat(RANGE - 1);
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [small, large] = a < b ? [a, b] : [b, a];
        const delays = [exponentialUs(small, 50_000), exponentialUs(large, 50_000)] as const;
        expect(delays[0]).to.be.at.least(delays[1]);
        expect(delays[1]).to.be.at.least(0);
      }),
    );
  });
});
