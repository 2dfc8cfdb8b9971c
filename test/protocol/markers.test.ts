import { expect } from "chai";
import * as fc from "fast-check";
import { isOwnerId, MARKERS, NO_NUMBER, numberIn } from "../../src/protocol/markers.js";
import { systemEntropy } from "../../src/runtime/system-entropy.js";

const label = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 });

describe("isOwnerId", () => {
  it("knows every id that is drawn, with and without a label", () => {
    const entropy = systemEntropy();
    fc.assert(
      fc.property(label, (text) => {
        expect(isOwnerId(entropy.id())).to.equal(true);
        expect(isOwnerId(`${entropy.id()}:${text}`)).to.equal(true);
      }),
    );
    expect(isOwnerId(`${entropy.id()}:${"x".repeat(200)}`)).to.equal(true);
  });

  for (const [kind, marker] of Object.entries(MARKERS)) {
    it(`takes no marker of ${kind} for one, whatever follows it`, () => {
      const rest = fc.oneof(label, fc.base64String(), fc.nat().map(String), fc.constant(""));
      fc.assert(fc.property(rest, (text) => !isOwnerId(marker + text)));
      expect(isOwnerId(`${marker}${systemEntropy().id()}`)).to.equal(false);
    });
  }

  for (const [text, why] of [
    ["", "empty"],
    ["a".repeat(21), "too short"],
    ["a".repeat(23), "too long"],
    [`${"a".repeat(21)}b`, "more than 16 bytes"],
    [`${"a".repeat(20)}.A`, "no base64url"],
    [`${"a".repeat(21)}A:`, "a label that is empty"],
    [`${"a".repeat(21)}A:${"x".repeat(201)}`, "a label that is too long"],
    [` ${"a".repeat(21)}A`, "something before it"],
    ["1700000000000", "a timestamp"],
  ] as const) {
    it(`does not take ${JSON.stringify(text).slice(0, 40)} for one: ${why}`, () => {
      expect(isOwnerId(text)).to.equal(false);
    });
  }
});

describe("numberIn", () => {
  it("reads a count of ours in either layout", () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        expect(numberIn(String(count))).to.equal(count);
        expect(numberIn(`${NO_NUMBER}${count}`)).to.equal(count);
      }),
    );
  });
});
