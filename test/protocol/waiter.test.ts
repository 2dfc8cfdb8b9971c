import { expect } from "chai";
import { deferredTextOf, isSamePlace, turnTextOf, type Waiter } from "../../src/protocol/waiter.js";

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
