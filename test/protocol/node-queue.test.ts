import { expect } from "chai";
import * as fc from "fast-check";
import { maxAgeMs } from "../../src/protocol/node-messages.js";
import {
  deferredTextOf,
  isSamePlace,
  MAX_PLACES_AT_ONCE,
  MAX_REFRESH_MS,
  MIN_REFRESH_MS,
  PLACE_MS,
  refreshPace,
  turnMs,
  turnTextOf,
  type Waiter,
} from "../../src/protocol/node-queue.js";

const WAITER: Waiter = { inbox: "i", ticket: 7, turnMs: 13 };

describe("the places of one process in a queue", () => {
  for (const [title, other, text, isSame] of [
    ["of a later ticket", { ...WAITER, ticket: 8 }, "13", true],
    ["of one that wants the name as a whole, too", { ...WAITER, placePrefix: "" }, "13", true],
    ["for which the name is reserved for longer", { ...WAITER, turnMs: 14 }, "14", false],
    ["of a reader", { ...WAITER, placePrefix: "r" }, "r13", false],
    ["of one that wants a permit", { ...WAITER, placePrefix: "s" }, "s13", false],
  ] as const) {
    it(`are ${isSame ? "one" : "two"}: that ${title}`, () => {
      expect(turnTextOf(other)).to.equal(text);
      expect(isSamePlace(WAITER, other)).to.equal(isSame);
      expect(isSamePlace(other, WAITER)).to.equal(isSame);
    });
  }
});

describe("a deferred acquire, as it is written on a node", () => {
  it("is how old it may be, how long its key lives, and its owner, who may have blanks", () => {
    const text = deferredTextOf({ ownerId: "id a label", ttlMs: 1_000, maxAgeMs: 100 });
    expect(text).to.equal("100 1000 id a label");
  });

  it("is empty where there is none", () => {
    expect(deferredTextOf(undefined)).to.equal("");
  });
});

/** How much later than the one before a call may come, ms. */
const LATE_MS = 100;

describe("the pace at which places are refreshed", () => {
  for (const [placeCount, count, pauseMs] of [
    [1, 1, 400],
    [360, 360, 400],
    [450, 225, 250],
    [500, 250, 500 / 0.9 / 2],
    [900, 300, 1_000 / 3],
    [2_000, 334, 2_000 / 0.9 / 6],
    [2_025, 338, 375],
    [4_000, 500, 281.25],
    [4_608, 512, 250],
    [10_000, 500, 112.5],
    [100_000, 511, 2_250 / 196],
  ] as const) {
    it(`of ${placeCount} is ${count} every ${Math.round(pauseMs)} ms`, () => {
      expect(refreshPace(placeCount).count).to.equal(count);
      expect(refreshPace(placeCount).pauseMs).to.be.closeTo(pauseMs, 1e-9);
    });
  }

  it("comes to each often enough, and asks a node for few at once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), (placeCount) => {
        const { count, leastCount, pauseMs } = refreshPace(placeCount);
        expect(count).to.be.within(1, MAX_PLACES_AT_ONCE);
        // Where all others are the most, the last ones are no fewer.
        expect(leastCount).to.be.within(1, placeCount % count || count);
        const everyMs = Math.ceil(placeCount / count) * pauseMs;
        expect(everyMs).to.be.within(MIN_REFRESH_MS - 1e-6, MAX_REFRESH_MS + 1e-6);
        // In between, nodes execute its deferred acquires, even if one of its calls is late.
        expect(pauseMs).to.be.at.most(MIN_REFRESH_MS);
        expect(MIN_REFRESH_MS + LATE_MS).to.be.at.most(maxAgeMs(10_000, 10_000));
        // One refresh may be lost, and the place still counts.
        expect(2 * everyMs).to.be.below(PLACE_MS);
      }),
    );
  });
});

describe("turnMs", () => {
  it("is a part of the node deadline, within bounds, in whole milliseconds", () => {
    expect([1, 20, 100, 101, 400, 10_000].map(turnMs)).to.deep.equal([5, 5, 25, 26, 100, 100]);
  });
});
