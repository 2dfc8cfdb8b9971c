import { expect } from "chai";
import * as fc from "fast-check";
import { nextWindow, WINDOW_BOUNDS } from "../../src/protocol/admission.js";
import { uniform } from "../support/uniform.js";

const { min, start, max } = WINDOW_BOUNDS;

describe("nextWindow", () => {
  const table: readonly [string, number, number | undefined, number][] = [
    ["grows by one where an attempt ended soon", start, 125, start + 1],
    ["stays where it ended neither soon nor late", start, 126, start],
    ["stays at half of the node deadline", start, 250, start],
    ["is halved where it ended late", start, 251, start / 2],
    ["is halved where no quorum answered", start, undefined, start / 2],
    ["does not grow beyond the most", max, 1, max],
    ["is not halved below the least", min + 1, 251, min],
  ];
  for (const [title, window, tookMs, next] of table) {
    it(title, () => {
      expect(nextWindow(window, tookMs, 500, WINDOW_BOUNDS)).to.equal(next);
    });
  }

  it("is a whole number within its bounds, and never larger for an attempt that took longer", () => {
    const window = fc.integer({ min, max });
    fc.assert(
      fc.property(window, uniform(0, 2_000), uniform(0, 2_000), (before, a, b) => {
        const [soon, late] = [Math.min(a, b), Math.max(a, b)].map((tookMs) =>
          nextWindow(before, tookMs, 1_000, WINDOW_BOUNDS),
        );
        expect(soon)
          .to.be.within(min, max)
          .and.at.least(late ?? Infinity);
        expect(Number.isInteger(soon)).to.equal(true);
      }),
    );
  });
});
