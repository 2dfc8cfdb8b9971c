import { expect } from "chai";
import { timestampLayoutOf } from "../../src/protocol/lock-layout.js";

describe("timestampLayoutOf", () => {
  for (const [text, layout] of [
    ["1700000000", "timestamp-seconds"],
    ["1700000000.25", "timestamp-seconds"],
    ["1700000000123", "timestamp"],
    ["99999999999", "timestamp-seconds"],
    ["100000000000", "timestamp"],
    ["999999999999999", "timestamp"],
    ["1000000000000000", undefined],
    ["99999999", undefined],
    ["7", undefined],
    ["", undefined],
    ["-1700000000", undefined],
    ["1.7e9", undefined],
    ["0x6553f100", undefined],
    ["1700000000 ", undefined],
    ["data", undefined],
  ] as const) {
    it(`takes "${text}" for ${layout ?? "none"}`, () => {
      expect(timestampLayoutOf(text)).to.equal(layout);
    });
  }
});
