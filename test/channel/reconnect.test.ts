import { expect } from "chai";
import * as fc from "fast-check";
import { reconnectDelayMs } from "../../src/channel/reconnect.js";
import { unit } from "../support/uniform.js";

describe("reconnectDelayMs", () => {
  it("is short, jittered and bounded, however often it failed", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), unit, (failedCount, u) => {
        expect(reconnectDelayMs(failedCount, u)).to.be.within(25, 1_000);
      }),
    );
  });

  it("doubles with every failure up to a second", () => {
    const longest = [1, 2, 3, 4, 5, 6, 7].map((count) => Math.round(reconnectDelayMs(count, 1)));
    expect(longest).to.deep.equal([50, 100, 200, 400, 800, 1_000, 1_000]);
  });
});
