import { expect } from "chai";
import { exitCodeOf } from "../../src/cli/exit-codes.js";
import { HELD_CODES, httpStatusOf, NO_QUORUM_CODES } from "../../src/api/error-codes.js";
import type { QuorateErrorCode } from "../../src/api/errors.js";

/** What each error of the library comes to; the compiler checks that none is missing. */
const CODES: Readonly<
  Record<QuorateErrorCode, readonly [exitCode: number, httpStatus: number | undefined, is?: string]>
> = {
  QUORATE_CONTENDED: [75, 423, "held"],
  QUORATE_WAIT_TIMEOUT: [75, 423, "held"],
  QUORATE_QUEUE_FULL: [75, 423, "held"],
  QUORATE_UNREACHABLE: [69, 503, "no quorum"],
  QUORATE_SPLIT: [69, 503, "no quorum"],
  QUORATE_OVERLOADED: [69, 503, "no quorum"],
  QUORATE_VALIDITY_EXHAUSTED: [69, 503, "no quorum"],
  QUORATE_NOT_READY: [69, undefined],
  QUORATE_LOST: [76, 503],
  QUORATE_MISCONFIGURED: [78, 503],
  QUORATE_FOREIGN_KEY: [78, undefined],
  QUORATE_MIXED_LAYOUT: [78, undefined],
  QUORATE_PERMITS_MISMATCH: [78, undefined],
  QUORATE_NOT_ADOPTABLE: [70, undefined],
  QUORATE_CLOSED: [70, 503],
  QUORATE_REENTRY: [70, undefined],
  QUORATE_STALE_TOKEN: [70, undefined],
  QUORATE_MALFORMED_TOKEN: [70, undefined],
};

describe("An error by its code", () => {
  for (const [code, [exitCode, httpStatus, is]] of Object.entries(CODES)) {
    it(`has an exit code and an HTTP status: ${code}`, () => {
      expect(exitCodeOf(Object.assign(new Error("of the library"), { code }))).to.equal(exitCode);
      expect(httpStatusOf(code)).to.equal(httpStatus);
      expect(HELD_CODES.includes(code)).to.equal(is === "held");
      expect(NO_QUORUM_CODES.includes(code)).to.equal(is === "no quorum");
    });
  }

  it("is a bug of the command line if it is of nobody", () => {
    for (const error of [new Error("x"), { code: "ENOENT" }, { code: 7 }, null, undefined, "text"])
      expect(exitCodeOf(error)).to.equal(70);
    expect(httpStatusOf("ENOENT")).to.equal(undefined);
  });
});
