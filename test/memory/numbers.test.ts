import { expect } from "chai";
import * as fc from "fast-check";
import { RedisError } from "../../src/memory/errors.js";
import {
  floatIn,
  integerIn,
  isInstant,
  scoreText,
  seventeenDigits,
} from "../../src/memory/numbers.js";

/** Doubles of all magnitudes, and safe integers. */
const finite = fc.oneof(
  fc
    .bigInt({ min: 0n, max: 2n ** 64n - 1n })
    .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0] as number)
    .filter((value) => Number.isFinite(value)),
  fc.maxSafeInteger(),
);

describe("integerIn", () => {
  it("reads every 64-bit integer in its shortest form", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        fc.nat(63),
        (all, bits) => {
          // Of all lengths, short ones too.
          const value = all >> BigInt(bits);
          expect(integerIn(String(value))).to.equal(Number(value));
        },
      ),
    );
  });

  it("reads the first and the last 64-bit integer", () => {
    expect(integerIn("-9223372036854775808")).to.equal(-(2 ** 63));
    expect(integerIn("9223372036854775807")).to.equal(2 ** 63);
  });

  for (const text of [
    ...["", " 1", "1 ", "+1", "-0", "01", "-01", "00", "1.0", "1e3", "0x1", "x", "-"],
    ...["9223372036854775808", "-9223372036854775809", "100000000000000000000"],
  ]) {
    it(`refuses ${JSON.stringify(text)} as a server does`, () => {
      expect(() => integerIn(text)).to.throw(
        RedisError,
        "ERR value is not an integer or out of range",
      );
    });
  }
});

describe("floatIn", () => {
  it("reads every number as JavaScript writes it", () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(floatIn(String(value))).to.equal(Number(String(value)));
      }),
    );
  });

  for (const [text, value] of [
    ["+3", 3],
    ["-.5", -0.5],
    ["5.", 5],
    ["007", 7],
    ["1E3", 1_000],
    ["inf", Number.POSITIVE_INFINITY],
    ["+Infinity", Number.POSITIVE_INFINITY],
    ["-INF", Number.NEGATIVE_INFINITY],
  ] as const) {
    it(`reads ${text}`, () => expect(floatIn(text)).to.equal(value));
  }

  for (const text of ["", " 1", "1 ", "x", ".", "1e", "0x1", "nan", "infi", "--1", "1_0"]) {
    it(`refuses ${JSON.stringify(text)}, with the words of the command`, () => {
      expect(() => floatIn(text)).to.throw(RedisError, "ERR value is not a valid float");
      expect(() => floatIn(text, "ERR min or max")).to.throw(RedisError, "ERR min or max");
    });
  }
});

describe("isInstant", () => {
  it("is what a server can store in 64 bits", () => {
    for (const [atMs, isOne] of [
      [0, true],
      [-1e18, true],
      [9.2e18, true],
      [2 ** 63, false],
      [-(2 ** 63), false],
      [Number.POSITIVE_INFINITY, false],
      [Number.NaN, false],
    ] as const) {
      expect(isInstant(atMs), String(atMs)).to.equal(isOne);
    }
  });
});

describe("seventeenDigits", () => {
  it("keeps every number exactly", () => {
    fc.assert(
      fc.property(finite, (value) => {
        expect(Number(seventeenDigits(value))).to.equal(value);
      }),
    );
  });

  // Written by printf("%.17g") of the C library.
  for (const [value, text] of [
    [0, "0"],
    [-0, "-0"],
    [1_700_000_000_123_456, "1700000000123456"],
    [0.1, "0.10000000000000001"],
    [0.5, "0.5"],
    [-2.25, "-2.25"],
    [1e-4, "0.0001"],
    [1e-5, "1.0000000000000001e-05"],
    [2 ** -20, "9.5367431640625e-07"],
    [2 ** 53, "9007199254740992"],
    [1e17, "1e+17"],
    [1.5e300, "1.5000000000000001e+300"],
    [Number.NaN, "nan"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
  ] as const) {
    it(`writes ${Object.is(value, -0) ? "-0" : value} as C does`, () => {
      expect(seventeenDigits(value)).to.equal(text);
    });
  }
});

describe("scoreText", () => {
  it("writes scores that are read as the same score", () => {
    fc.assert(
      fc.property(fc.oneof(finite, fc.constantFrom(Infinity, -Infinity)), (score) => {
        expect(floatIn(scoreText(score))).to.equal(score);
      }),
    );
  });
});
