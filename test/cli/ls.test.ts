import { expect } from "chai";
import { exitOf } from "../../src/cli/ls.js";

/** Nodes that could not be scanned: `m` is misconfigured, `d` is down. */
const CASES: readonly (readonly [isComplete: boolean, failures: string, exitCode: number])[] = [
  [true, "", 0],
  [true, "d", 0],
  [true, "m", 0],
  [false, "m", 78],
  [false, "mm", 78],
  [false, "d", 69],
  [false, "dd", 69],
  [false, "dm", 69],
  [false, "md", 69],
  [false, "mmd", 69],
];

describe("quorate ls", () => {
  for (const [isComplete, failures, exitCode] of CASES) {
    it(`exits ${exitCode}: ${isComplete}, ${failures}`, () => {
      const all = Array.from(failures, (each) => ({ isMisconfigured: each === "m" }));
      expect(exitOf(isComplete, all)).to.equal(exitCode);
    });
  }
});
