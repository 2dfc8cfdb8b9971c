import { expect } from "chai";
import { endingOf } from "../../../src/cli/exec/ending.js";

/** What Node.js tells, the status as of wait(2), and what it comes to. */
const CASES: readonly (readonly [
  code: number | null,
  signal: NodeJS.Signals | null,
  status: number | undefined,
  ending: number | NodeJS.Signals,
])[] = [
  [0, null, 0, 0],
  [0, null, undefined, 0],
  [0, null, 34, 162],
  [0, null, 64, 192],
  // With a core dump, if the first thread was not the last to end.
  [0, null, 34 | 0x80, 162],
  // Of a program that changed its user, the status reads as 0.
  [3, null, 0, 3],
  [3, null, 3 << 8, 3],
  [255, null, 255 << 8, 255],
  [162, null, 162 << 8, 162],
  [null, "SIGKILL", 9, "SIGKILL"],
  [null, "SIGKILL", 0, "SIGKILL"],
  [null, "SIGSEGV", 11 | 0x80, "SIGSEGV"],
  [null, "SIGTERM", undefined, "SIGTERM"],
];

describe("How a command ended", () => {
  for (const [code, signal, status, expected] of CASES) {
    it(`is ${expected}: ${code}, ${signal}, ${status}`, () => {
      const ending = endingOf(code, signal, status);
      expect(ending).to.deep.equal(
        typeof expected === "number"
          ? { kind: "exit", code: expected }
          : { kind: "signal", signal: expected },
      );
    });
  }
});
