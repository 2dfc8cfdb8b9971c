import { expect } from "chai";
import * as fc from "fast-check";
import {
  MAX_PLACES_AT_ONCE,
  MAX_REFRESH_MS,
  MIN_REFRESH_MS,
  PLACE_MS,
  refreshPace,
} from "../../src/protocol/place.js";

describe("the pace at which places are refreshed", () => {
  for (const [placeCount, count, pauseMs] of [
    [1, 1, 250],
    [512, 512, 250],
    [513, 257, 125],
    [1_000, 500, 125],
    [4_000, 500, 125],
    [8_000, 500, 125],
    [100_000, 511, 2_250 / 196],
  ] as const) {
    it(`of ${placeCount} is ${count} every ${pauseMs} ms`, () => {
      expect(refreshPace(placeCount)).to.deep.equal({ count, pauseMs });
    });
  }

  it("comes to each often enough, and asks a node for few at once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), (placeCount) => {
        const { count, pauseMs } = refreshPace(placeCount);
        expect(count).to.be.within(1, MAX_PLACES_AT_ONCE);
        const everyMs = Math.ceil(placeCount / count) * pauseMs;
        expect(everyMs).to.be.within(MIN_REFRESH_MS - 1e-6, MAX_REFRESH_MS + 1e-6);
        // One refresh may be lost, and the place still counts.
        expect(2 * everyMs).to.be.below(PLACE_MS);
      }),
    );
  });
});
