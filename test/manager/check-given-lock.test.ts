import { expect } from "chai";
import * as fc from "fast-check";
import type { GivenLock } from "../../src/api/lock.js";
import { checkedGivenLock, checkGivable } from "../../src/manager/check-given-lock.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { MARKERS } from "../../src/protocol/markers.js";

const GIVEN: GivenLock = {
  kind: "quorate-lock",
  version: 1,
  name: "invoice",
  lockKey: "lock:invoice",
  mode: "exclusive",
  ownerId: `10000~${"x".repeat(21)}A:host`,
  fencingToken: 1_700_000_000_000_000,
  ttlMs: 10_000,
};

describe("checkGivable", () => {
  it("lets only locks be handed over that another process can hold", () => {
    const keys = keysOf("lock:", "invoice");
    expect(() => checkGivable(keys)).to.not.throw();
    expect(() => checkGivable(sharedLock(keys))).to.throw(RangeError, /handed over.*"invoice"/);
  });
});

describe("checkedGivenLock", () => {
  it("takes what handOver gave, as a value or as text, whatever clock its token is from", () => {
    const token = fc.maxSafeNat();
    const ttl = fc.integer({ min: 1, max: 1_000_000_000 });
    fc.assert(
      fc.property(token, ttl, (fencingToken, ttlMs) => {
        const given = { ...GIVEN, fencingToken, ttlMs };
        expect(checkedGivenLock(given)).to.deep.equal(given);
        expect(checkedGivenLock(JSON.stringify(given))).to.deep.equal(given);
      }),
    );
  });

  for (const minHoldMs of [undefined, 0, 1, 59_000]) {
    it(`takes one with ${minHoldMs ?? "no"} ms left of a minimum hold`, () => {
      expect(checkedGivenLock(JSON.stringify({ ...GIVEN, minHoldMs })).minHoldMs).to.equal(
        minHoldMs,
      );
    });
  }

  for (const [field, values] of [
    ["kind", [undefined, "lock", "quorate-term", 1]],
    ["version", [undefined, 0, 2, "1"]],
    ["name", [undefined, "", 7, "\uD800"]],
    ["lockKey", [undefined, null, 7]],
    ["mode", [undefined, "shared"]],
    ["ownerId", [undefined, null, "", "short", ...Object.values(MARKERS)]],
    ["fencingToken", [undefined, -1, 0.5, Number.NaN, 2 ** 53, "7"]],
    ["ttlMs", [undefined, 0, -1, 0.5, Number.POSITIVE_INFINITY, "10000"]],
    ["minHoldMs", [null, "2000", -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]],
  ] as const satisfies readonly (readonly [keyof GivenLock, readonly unknown[]])[]) {
    it(`names the field ${field} if it is wrong or missing`, () => {
      for (const value of values) {
        const thrown = expect(
          () => checkedGivenLock({ ...GIVEN, [field]: value }),
          String(value),
        ).to.throw();
        thrown.with.property("message").that.includes(`\`json.${field}\``);
        thrown.and.satisfies(({ name }: Error) => name === "TypeError" || name === "RangeError");
      }
    });
  }

  for (const [what, json] of [
    ["nothing", undefined],
    ["null", null],
    ["a number", 7],
    ["a text that is not JSON", "{"],
    ["the JSON of something else", "7"],
  ] as const) {
    it(`rejects ${what}`, () => {
      expect(() => checkedGivenLock(json)).to.throw(
        TypeError,
        "`json` must be what lock.handOver() gave",
      );
    });
  }

  it("shows neither an ownerId with a typo nor a text that it cannot parse: they are secrets", () => {
    const secret = GIVEN.ownerId.slice(0, -8);
    for (const json of [{ ...GIVEN, ownerId: secret }, `{"ownerId":"${secret}"`]) {
      expect(() => checkedGivenLock(json))
        .to.throw(TypeError)
        .with.property("message")
        .that.does.not.include(secret);
    }
  });
});
