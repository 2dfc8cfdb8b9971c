import { expect } from "chai";
import { assert, integer, property } from "fast-check";
import { durationText, parseDuration } from "../../src/cli/duration.js";

const DURATIONS: Readonly<Record<string, number>> = {
  "0": 0,
  "1": 1_000,
  "0.25": 250,
  ".5": 500,
  "1.001": 1_001,
  "0.0004": 0,
  "0.0005": 1,
  "16.1": 16_100,
  "250ms": 250,
  "2.5ms": 3,
  "10s": 10_000,
  "1.5m": 90_000,
  "1h": 3_600_000,
  "2d": 172_800_000,
};

const NONE = [
  "",
  "s",
  "-1",
  "+1",
  "1 s",
  "1e3",
  "ten",
  "1w",
  "Infinity",
  "NaN",
  "0x10",
  "1.",
  "1..2",
  "9".repeat(20),
];

const TEXTS: readonly (readonly [number, string])[] = [
  [0, "0 ms"],
  [0.2, "1 ms"],
  [850, "850 ms"],
  [12_340, "12.3 s"],
  [65_000, "1 m 5 s"],
  [120_000, "2 m"],
  [7_380_000, "2 h 3 m"],
];

describe("Durations of the command line", () => {
  for (const [text, ms] of Object.entries(DURATIONS)) {
    it(`reads ${text} as ${ms} ms`, () => expect(parseDuration(text)).to.equal(ms));
  }

  for (const text of NONE) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(parseDuration(text)).to.equal(undefined));
  }

  it("takes any number of seconds to the nearest ms", () => {
    assert(
      property(integer({ min: 0, max: 1e9 }), (ms) => {
        expect(parseDuration((ms / 1_000).toFixed(3))).to.equal(ms);
        expect(parseDuration(`${ms}ms`)).to.equal(ms);
      }),
    );
  });

  for (const [ms, text] of TEXTS) {
    it(`shows ${ms} ms as ${text}`, () => expect(durationText(ms)).to.equal(text));
  }
});
