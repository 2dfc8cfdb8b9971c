import { expect } from "chai";
import * as fc from "fast-check";
import {
  closedSign,
  isOpenSign,
  isSameSign,
  overdueMs,
  parseSign,
  RENEWED_BY_MS,
  SIGN_INEXACT_MS,
} from "../../src/protocol/overdue.js";
import { validUntilMs } from "../../src/protocol/lease-times.js";

const END = 1_700_000_000_000;
const exact = (endMs: number): string => `9000~x9_Kq2@${endMs}`;
const inexact = (endMs: number): string => `9000~x9_Kq2@~${endMs}`;

describe("a sign", () => {
  it("tells for how long the name is kept for its holder", () => {
    for (const text of [exact(END), inexact(END)]) {
      expect(parseSign(text)).to.deep.equal({ text, keptMs: 9_000 });
    }
    const longest = `${Number.MAX_SAFE_INTEGER}~x9_Kq2@${END}`;
    expect(parseSign(longest)?.keptMs).to.equal(Number.MAX_SAFE_INTEGER);
  });

  for (const text of [
    "",
    "9000~x9_Kq2",
    "9000~x9_Kq2@",
    "~x9_Kq2@1700",
    "0~x9_Kq2@1700",
    "x9_Kq2@1700",
    "9000~x9_Kq@1700",
    "9000~x9_Kq2@17e3",
    "9000~x9_Kq2@1700;",
    "11111111111111111~x9_Kq2@1700",
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(parseSign(text)).to.equal(undefined);
    });
  }
});

describe("isSameSign", () => {
  const ends = fc.integer({ min: -40, max: 40 }).map((byMs) => END + byMs);

  it("goes by the very end where that is exact", () => {
    fc.assert(
      fc.property(ends, ends, (one, other) => {
        expect(isSameSign(exact(one), exact(other))).to.equal(one === other);
      }),
    );
  });

  it("forgives what an inexact end may be wrong by, and never takes a renewal for that", () => {
    const error = fc.integer({ min: -2, max: 2 });
    fc.assert(
      fc.property(error, error, fc.nat(10_000), (wrong, wrongAgain, moreMs) => {
        const one = inexact(END + wrong);
        expect(isSameSign(one, inexact(END + wrongAgain))).to.equal(true);
        const renewed = END + RENEWED_BY_MS + moreMs;
        expect(isSameSign(one, inexact(renewed + wrongAgain))).to.equal(false);
      }),
    );
    expect(RENEWED_BY_MS).to.be.above(2 * SIGN_INEXACT_MS);
  });

  it("knows holders apart, and one that is exact from one that is not", () => {
    expect(isSameSign(exact(END), `8000~x9_Kq2@${END}`)).to.equal(false);
    expect(isSameSign(inexact(END), `9000~y9_Kq2@~${END}`)).to.equal(false);
    expect(isSameSign(exact(END), inexact(END))).to.equal(false);
  });
});

it("nobody is overdue while the holder may believe, however the rates of their clocks differ", () => {
  const factor = fc.nat(100).map((part) => part / 1_000);
  const keptMs = fc.integer({ min: 10, max: 600_000 });
  fc.assert(
    fc.property(factor, keptMs, fc.nat(10_000), (driftFactor, ttlMs, seenMs) => {
      // Renewed as late as can be: just before the sign was received.
      const believesForMs = validUntilMs(0, ttlMs, driftFactor) / (1 - driftFactor / 2);
      const sign = { text: "", keptMs: ttlMs };
      const nowMs = seenMs + believesForMs * (1 + driftFactor / 2);
      expect(overdueMs(sign, seenMs, driftFactor)).to.be.above(nowMs);
      expect(overdueMs(sign, seenMs, driftFactor)).to.be.below(seenMs + 1.2 * ttlMs + 10);
    }),
  );
});

describe("a sign that an answer tells without its end", () => {
  for (const [text, isOpen, closed] of [
    ["9000~x9_Kq2@", true, "9000~x9_Kq2@1950"],
    ["9000~x9_Kq2@1700", false, "9000~x9_Kq2@1700"],
    ["9000~x9_Kq2@~1700", false, "9000~x9_Kq2@~1700"],
    ["a@1;b@2", false, "a@1;b@2"],
    ["", false, ""],
  ] as const) {
    it(`is ${isOpen ? "completed" : "none"}: "${text}"`, () => {
      expect(isOpenSign(text)).to.equal(isOpen);
      expect(isOpenSign(`a@,${text},b@`, 3 + text.length)).to.equal(isOpen);
      expect(closedSign(text, 1_950)).to.equal(closed);
    });
  }
});
