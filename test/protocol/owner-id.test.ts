import { expect } from "chai";
import * as fc from "fast-check";
import { MARKERS } from "../../src/protocol/markers.js";
import { beginningOf, isOwnerId, labelOf, leaseOwnerIdOf } from "../../src/protocol/owner-id.js";
import { systemEntropy } from "../../src/runtime/system.js";

const label = fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 });

describe("isOwnerId", () => {
  it("knows every id that is drawn, with and without a label", () => {
    const entropy = systemEntropy();
    fc.assert(
      fc.property(label, (text) => {
        expect(isOwnerId(entropy.id())).to.equal(true);
        expect(isOwnerId(`${entropy.id()}:${text}`)).to.equal(true);
        expect(isOwnerId(`10000~${entropy.id()}:${text}`)).to.equal(true);
        expect(isOwnerId(`10000~${entropy.id()}.in-b_x01:${text}`)).to.equal(true);
      }),
    );
    expect(isOwnerId(`${entropy.id()}:${"x".repeat(200)}`)).to.equal(true);
  });

  for (const [kind, marker] of Object.entries(MARKERS)) {
    it(`takes no marker of ${kind} for one, whatever follows it`, () => {
      const rest = fc.oneof(label, fc.base64String(), fc.nat().map(String), fc.constant(""));
      fc.assert(fc.property(rest, (text) => !isOwnerId(marker + text)));
      expect(isOwnerId(`${marker}${systemEntropy().id()}`)).to.equal(false);
    });
  }

  for (const [text, why] of [
    ["", "empty"],
    ["a".repeat(21), "too short"],
    ["a".repeat(23), "too long"],
    [`${"a".repeat(21)}b`, "more than 16 bytes"],
    [`${"a".repeat(20)}.A`, "no base64url"],
    [`${"a".repeat(21)}A.`, "an inbox that is empty"],
    [`${"a".repeat(21)}A.in-b_x0`, "an inbox that is too short"],
    [`${"a".repeat(21)}A.in-b_x012`, "an inbox that is too long"],
    [`${"a".repeat(21)}A.in-b:x01`, "an inbox of other characters"],
    [`${"a".repeat(21)}A:`, "a label that is empty"],
    [`${"a".repeat(21)}A:${"x".repeat(201)}`, "a label that is too long"],
    [` ${"a".repeat(21)}A`, "something before it"],
    [`~${"a".repeat(21)}A`, "no time in front"],
    [`010~${"a".repeat(21)}A`, "a time that begins with 0"],
    [`1e3~${"a".repeat(21)}A`, "a time that is no whole number"],
    [`${"1".repeat(17)}~${"a".repeat(21)}A`, "a time that no option allows"],
    ["1700000000000", "a timestamp"],
  ] as const) {
    it(`does not take ${JSON.stringify(text).slice(0, 40)} for one: ${why}`, () => {
      expect(isOwnerId(text)).to.equal(false);
    });
  }
});

describe("leaseOwnerIdOf", () => {
  const settings = { ttlMs: 10_000, driftFactor: 0.01, lockDelayMs: 100, label: "host" };
  const inbox = { id: "in-b_x01" };

  it("makes what is known again as an ownerId, with its label", () => {
    const entropy = systemEntropy();
    const where = fc.constantFrom(undefined, inbox);
    const kept = fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), {
      nil: undefined,
    });
    fc.assert(
      fc.property(fc.option(label, { nil: "" }), kept, where, (text, keptMs, at) => {
        const life = {
          ttlMs: keptMs ?? 1,
          driftFactor: 0.01,
          clockStepMs: keptMs === undefined ? 0 : 500,
        };
        const ownerId = leaseOwnerIdOf(entropy.id(), at, { ...life, label: text });
        expect(isOwnerId(ownerId)).to.equal(true);
        expect(labelOf(ownerId)).to.equal(text === "" ? undefined : text);
      }),
    );
  });

  it("tells for how long a name is kept in whole ms, never too few", () => {
    const life = { ttlMs: 10_000.2, driftFactor: 0.01, clockStepMs: 500 };
    expect(leaseOwnerIdOf("id", undefined, { ...life, label: "host" })).to.equal("10001~id:host");
  });

  it("says how long the name is kept, with the lock-delay, only where node clocks have a margin", () => {
    expect(leaseOwnerIdOf("id", undefined, settings)).to.equal("id:host");
    const withMargin = { ...settings, clockStepMs: 500 };
    expect(leaseOwnerIdOf("id", undefined, withMargin)).to.equal("10103~id:host");
  });

  it("names the inbox of its process, where nodes reach it", () => {
    expect(leaseOwnerIdOf("id", inbox, { ...settings, label: "" })).to.equal("id.in-b_x01");
  });
});

describe("beginningOf", () => {
  it("is the same six random characters, whatever else an ownerId says", () => {
    const id = systemEntropy().id();
    for (const ownerId of [id, `${id}:host`, `10000~${id}`, `7~${id}:12~host`]) {
      expect(beginningOf(ownerId)).to.equal(id.slice(0, 6));
    }
    expect(beginningOf("123456789_123456789_12")).to.equal("123456");
  });
});

describe("labelOf", () => {
  for (const [text, label] of [
    ["a".repeat(22), undefined],
    [`${"a".repeat(22)}:`, undefined],
    [`${"a".repeat(22)}:host:7`, "host:7"],
    [`900~${"a".repeat(22)}:host:7`, "host:7"],
    ["short", undefined],
    ["another client's, which is longer than ours", undefined],
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${label}`, () => {
      expect(labelOf(text)).to.equal(label);
    });
  }
});
