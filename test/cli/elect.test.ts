import { expect } from "chai";
import { pauseAfter } from "../../src/cli/elect.js";

const CASES: readonly (readonly [
  title: string,
  ranMs: number,
  lastMs: number | undefined,
  pauseMs: number,
])[] = [
  ["the first time", 0, undefined, 1_000],
  ["the first time, after days", 1e9, undefined, 1_000],
  ["the second time", 0, 1_000, 2_000],
  ["each time twice as long", 29_999, 8_000, 16_000],
  ["at most 30 s", 0, 16_000, 30_000],
  ["at most 30 s from then on", 30_000, 30_000, 30_000],
  ["from the start if it ran for longer", 30_001, 30_000, 1_000],
  ["from the start if it ran for days", 1e9, 16_000, 1_000],
];

describe("The pause before a command of quorate elect runs again", () => {
  for (const [title, ranMs, lastMs, pauseMs] of CASES) {
    it(`is ${pauseMs} ms: ${title}`, () => {
      expect(pauseAfter(ranMs, lastMs)).to.equal(pauseMs);
    });
  }
});
