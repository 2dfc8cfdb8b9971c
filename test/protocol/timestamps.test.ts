import { expect } from "chai";
import { keysOf } from "../../src/protocol/keys.js";
import {
  TIMESTAMP_LAYOUTS,
  timestampKeys,
  timestampLayoutOf,
} from "../../src/protocol/timestamps.js";

describe("timestampKeys", () => {
  it("keeps the keys of the name, and has its owner beside them in the same slot", () => {
    for (const layout of TIMESTAMP_LAYOUTS) {
      const plain = keysOf("lock:", "a");
      const { layout: laidOut, ...rest } = timestampKeys(plain, layout);
      expect(rest).to.deep.equal(plain);
      const keys = ["quorate:stamp:{lock:a}"];
      expect(laidOut).to.deep.equal({ kind: "timestamp", keys, args: [layout] });
    }
  });
});

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
