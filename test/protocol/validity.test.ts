import { expect } from "chai";
import * as fc from "fast-check";
import {
  DRIFT_FLOOR_MS,
  driftMs,
  isUsable,
  usableForMs,
  isValid,
  lossAtMs,
  LOSS_LEAD_MS,
  outwaitMs,
  remainingTtlMs,
  validUntilMs,
} from "../../src/protocol/validity.js";
import { uniform } from "../support/uniform.js";

const ttl = fc.integer({ min: 10, max: 86_400_000 });
const factor = uniform(0, 0.5);
const instant = uniform(0, 1e12);

describe("driftMs", () => {
  for (const [ttlMs, driftFactor, expected] of [
    [10_000, 0.01, 102],
    [10_000, 0, 2],
    [10, 0.01, 3],
    [1_001, 0.01, 13],
    [100, 0.5, 52],
  ] as const) {
    it(`is ${expected} ms for a ttl of ${ttlMs} ms at ${driftFactor}`, () => {
      expect(driftMs(ttlMs, driftFactor)).to.equal(expected);
    });
  }

  it("is a whole number, never below its floor, and grows with the ttl", () => {
    fc.assert(
      fc.property(ttl, ttl, factor, (a, b, driftFactor) => {
        const [shorter, longer] = [
          driftMs(Math.min(a, b), driftFactor),
          driftMs(Math.max(a, b), driftFactor),
        ];
        expect(shorter).to.be.at.least(DRIFT_FLOOR_MS).and.at.most(longer);
        expect(Number.isInteger(shorter)).to.equal(true);
      }),
    );
  });
});

describe("validUntilMs", () => {
  it("is counted from the first send, less drift", () => {
    expect(validUntilMs(5_000, 10_000, 0.01)).to.equal(14_898);
  });

  it("ends before the key of a node does whose clock runs faster by up to half the factor", () => {
    fc.assert(
      fc.property(ttl, uniform(0, 0.1), (ttlMs, driftFactor) => {
        // The node counts ttlMs on its own clock; ours has counted less by then.
        const keyLifeMs = ttlMs / (1 + driftFactor / 2);
        expect(validUntilMs(0, ttlMs, driftFactor)).to.be.lessThan(keyLifeMs);
      }),
    );
  });
});

describe("isValid", () => {
  it("ends at validUntil itself", () => {
    expect(isValid(99.999, 100)).to.equal(true);
    expect(isValid(100, 100)).to.equal(false);
    expect(isValid(100.001, 100)).to.equal(false);
  });

  it("asks for more than the minimum, not for just as much", () => {
    expect(isValid(49, 100, 50)).to.equal(true);
    expect(isValid(50, 100, 50)).to.equal(false);
  });

  it("once over stays over", () => {
    fc.assert(
      fc.property(instant, instant, instant, (a, b, until) => {
        if (!isValid(Math.min(a, b), until)) {
          expect(isValid(Math.max(a, b), until)).to.equal(false);
        }
      }),
    );
  });
});

describe("isUsable", () => {
  it("asks for what is wanted, and at least for the lead of the loss timer", () => {
    expect(isUsable(100 - LOSS_LEAD_MS, 100, 0)).to.equal(false);
    expect(isUsable(99.999 - LOSS_LEAD_MS, 100, 0)).to.equal(true);
    expect(isUsable(50, 100, 50)).to.equal(false);
    expect(isUsable(49.999, 100, 50)).to.equal(true);
  });
});

describe("lossAtMs", () => {
  it("leads the end of validity, so that a lease that can be granted is not over by then", () => {
    expect(lossAtMs(100)).to.equal(100 - LOSS_LEAD_MS);
    fc.assert(
      fc.property(fc.nat(20), fc.nat(20), (nowMs, untilMs) => {
        expect(isUsable(nowMs, untilMs, 0)).to.equal(nowMs < lossAtMs(untilMs));
      }),
    );
  });
});

describe("remainingTtlMs", () => {
  it("is a whole number of ms by which a later key dies no later than the proven ones", () => {
    fc.assert(
      fc.property(ttl, instant, uniform(0, 1e8), (ttlMs, sent, passed) => {
        const left = remainingTtlMs(sent + passed, sent + ttlMs);
        expect(Number.isInteger(left)).to.equal(true);
        expect(left).to.be.at.least(0);
        if (left > 0) expect(sent + passed + left).to.be.at.most(sent + ttlMs);
      }),
    );
  });

  it("is 0 from the end of the ttl on", () => {
    expect(remainingTtlMs(999, 1_000)).to.equal(1);
    expect(remainingTtlMs(999.5, 1_000)).to.equal(0);
    expect(remainingTtlMs(5_000, 1_000)).to.equal(0);
  });
});

describe("usableForMs", () => {
  it("is the time after which a lease is not usable any more, to the instant", () => {
    fc.assert(
      fc.property(ttl, uniform(0, 0.1), uniform(0, 50), (ttlMs, driftFactor, minHoldMs) => {
        const lastMs = usableForMs({ ttlMs, driftFactor, minHoldMs });
        const untilMs = validUntilMs(0, ttlMs, driftFactor);
        expect(isUsable(lastMs - 0.001, untilMs, minHoldMs)).to.equal(true);
        expect(isUsable(lastMs + 0.001, untilMs, minHoldMs)).to.equal(false);
      }),
    );
  });
});

describe("outwaitMs", () => {
  it("outlasts the duration on a node whose clock runs slower by up to half the factor", () => {
    fc.assert(
      fc.property(ttl, uniform(0, 0.1), (durationMs, driftFactor) => {
        const onOurClockMs = durationMs * (1 + driftFactor / 2);
        expect(outwaitMs(durationMs, driftFactor)).to.be.greaterThan(onOurClockMs);
      }),
    );
  });
});
