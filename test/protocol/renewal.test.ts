import { expect } from "chai";
import * as fc from "fast-check";
import {
  defaultLossNoticeMs,
  leftAtRenewalMs,
  renewalAtMs,
  renewalDueAtMs,
  renewalLateAtMs,
  renewalRetryMs,
  renewalUrgentAtMs,
} from "../../src/protocol/renewal.js";
import { validUntilMs } from "../../src/protocol/validity.js";
import { uniform, unit } from "../support/uniform.js";

describe("renewalRetryMs", () => {
  it("fits at least two more tries into what is left of a lease, and never spins", () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 60_000 }), unit, unit, (ttlMs, part, u) => {
        const leftMs = ttlMs * part;
        const pause = renewalRetryMs(leftMs, ttlMs, u);
        expect(pause).to.be.at.least(5);
        if (leftMs > 20) expect(2 * pause).to.be.lessThan(leftMs);
        expect(pause).to.be.at.most(Math.max(5, ttlMs / 10));
      }),
    );
  });

  it("is spread over half of the longest: leases that failed together are not retried together", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 60_000 }),
        uniform(0.2, 1),
        unit,
        (ttlMs, part, u) => {
          const [least, most] = [0, 1].map((at) => renewalRetryMs(ttlMs * part, ttlMs, at));
          expect(least).to.be.closeTo((most ?? 0) / 2, 1e-6);
          const pause = renewalRetryMs(ttlMs * part, ttlMs, u);
          expect(pause).to.be.closeTo((least ?? 0) * (1 + u), 1e-6);
        },
      ),
    );
  });
});

describe("renewalAtMs", () => {
  const ttl = fc.integer({ min: 10, max: 10_000_000 });
  const instant = uniform(0, 1e9);

  it("is within a hundredth of the ttl before its third, and not before the lease", () => {
    fc.assert(
      fc.property(instant, ttl, (firstSendMs, ttlMs) => {
        const at = renewalAtMs(firstSendMs, ttlMs);
        expect(at).to.be.at.most(firstSendMs + ttlMs / 3);
        expect(at).to.be.at.least(firstSendMs);
        expect(at).to.be.greaterThan(firstSendMs + ttlMs / 3 - Math.max(1, ttlMs / 100) - 1e-6);
      }),
    );
  });

  it("brings leases of one ttl together: few instants, however many leases begin", () => {
    fc.assert(
      fc.property(instant, ttl, fc.array(unit, { minLength: 300 }), (fromMs, ttlMs, parts) => {
        const instants = new Set(parts.map((part) => renewalAtMs(fromMs + part * ttlMs, ttlMs)));
        // Ticks are at least half a hundredth of the ttl.
        expect(instants.size).to.be.at.most(ttlMs < 200 ? ttlMs + 2 : 202);
      }),
      { numRuns: 30 },
    );
  });

  it("leaves room for others to wait for, and for more tries behind that", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 100, max: 10_000_000 }), (firstSendMs, ttlMs) => {
        const validUntil = validUntilMs(firstSendMs, ttlMs, 0.01);
        const urgentAt = renewalUrgentAtMs(validUntil, ttlMs);
        expect(urgentAt).to.be.greaterThan(renewalAtMs(firstSendMs, ttlMs) + ttlMs / 4);
        expect(validUntil - urgentAt).to.be.closeTo(ttlMs / 3, 0.01);
      }),
    );
  });
});

describe("renewalDueAtMs", () => {
  it("is that long before the end of the validity where the lease says so, and else as of its ttl", () => {
    const times = { ttlMs: 1_000, driftFactor: 0.01 };
    expect(renewalDueAtMs(500, times)).to.equal(renewalAtMs(500, 1_000));
    expect(renewalDueAtMs(500, { ...times, renewBeforeMs: 300 })).to.equal(500 + 988 - 300);
  });
});

describe("renewalLateAtMs", () => {
  const ttl = fc.integer({ min: 10, max: 10_000_000 });

  it("is behind the instant at which the renewal is due, for every notice that is allowed", () => {
    fc.assert(
      fc.property(uniform(0, 1e6), ttl, unit, (firstSendMs, ttlMs, part) => {
        const validUntil = validUntilMs(firstSendMs, ttlMs, 0.01);
        const leftMs = leftAtRenewalMs(validUntil - firstSendMs, ttlMs);
        const lateAt = renewalLateAtMs(validUntil, leftMs * part);
        expect(lateAt).to.be.at.least(renewalAtMs(firstSendMs, ttlMs) - 1e-6);
      }),
    );
  });

  it("is by default between the renewal and the end, and never where no time is left between", () => {
    fc.assert(
      fc.property(ttl, uniform(0, 0.5), (ttlMs, driftFactor) => {
        const validityMs = validUntilMs(0, ttlMs, driftFactor);
        const noticeMs = defaultLossNoticeMs(validityMs, ttlMs);
        expect(noticeMs)
          .to.be.at.least(0)
          .and.at.most(ttlMs / 3);
        expect(renewalLateAtMs(validityMs, noticeMs)).to.be.above(renewalAtMs(0, ttlMs) - 1e-6);
        if (driftFactor <= 0.01 && ttlMs >= 1_000) expect(noticeMs).to.be.above(ttlMs * 0.32);
      }),
    );
    expect(renewalLateAtMs(1_000, 0)).to.equal(Number.POSITIVE_INFINITY);
  });
});
