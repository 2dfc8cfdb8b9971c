import { expect } from "chai";
import * as fc from "fast-check";
import {
  armedMs,
  CLOCK_BAND_MS,
  defaultLossNoticeMs,
  DRIFT_FLOOR_MS,
  driftMs,
  isUsable,
  keepMs,
  minHoldLeftMs,
  keptMs,
  keyTtlMs,
  leftAtRenewalMs,
  longerKeptMs,
  LOSS_LEAD_MS,
  lossAtMs,
  outwaitMs,
  readLeaseClock,
  remainingTtlMs,
  renewalAtMs,
  renewalLateAtMs,
  renewalRetryMs,
  renewalUrgentAtMs,
  startLeaseClock,
  usableForMs,
  validUntilMs,
  type LeaseClockState,
} from "../../src/protocol/lease-times.js";
import { uniform, unit } from "../support/uniform.js";

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

const ms = fc.integer({ min: 1, max: 60_000 });
const driftFactor = fc.constantFrom(0, 0.001, 0.01, 0.1);

describe("keyTtlMs", () => {
  it("is the ttl where there is no delay", () => {
    fc.assert(
      fc.property(ms, driftFactor, (ttlMs, factor) => {
        expect(keyTtlMs({ ttlMs, driftFactor: factor })).to.equal(ttlMs);
        expect(keyTtlMs({ ttlMs, driftFactor: factor, lockDelayMs: 0 })).to.equal(ttlMs);
      }),
    );
  });

  it("lets the key outlive the validity by the delay, whatever the clocks' rates", () => {
    fc.assert(
      fc.property(ms, ms, driftFactor, (ttlMs, lockDelayMs, factor) => {
        const lifeMs = keyTtlMs({ ttlMs, driftFactor: factor, lockDelayMs });
        // In true time: the node's clock as fast as it may be, the client's as slow.
        const [fast, slow] = [1 + factor / 2, 1 - factor / 2];
        const deadMs = lifeMs / fast;
        const overMs = validUntilMs(0, ttlMs, factor) / slow;
        expect(deadMs - overMs).to.be.at.least(lockDelayMs);
        expect(Number.isInteger(lifeMs)).to.equal(true);
        expect(lifeMs).to.equal(ttlMs + lockDelayMs + driftMs(lockDelayMs, factor));
      }),
    );
  });
});

describe("longerKeptMs", () => {
  it("is how long the name is kept, where that is longer than the ownerId says", () => {
    const clockStepMs = fc.integer({ min: 1, max: 60_000 });
    fc.assert(
      fc.property(ms, ms, clockStepMs, driftFactor, (ttlMs, longerMs, stepMs, factor) => {
        const life = { ttlMs, driftFactor: factor, clockStepMs: stepMs, lockDelayMs: 7 };
        const longer = { ...life, ttlMs: longerMs };
        const isLonger = keptMs(longer) > keptMs(life);
        expect(longerKeptMs(life, keyTtlMs(longer))).to.equal(
          isLonger ? keptMs(longer) : undefined,
        );
        // Nobody goes by it.
        expect(longerKeptMs({ ...life, clockStepMs: 0 }, keptMs(longer))).to.equal(undefined);
      }),
    );
  });
});

describe("keepMs", () => {
  it("covers the rest of the minimum hold on any clocks, and is 0 when that is over", () => {
    const heldMs = uniform(0, 70_000);
    fc.assert(
      fc.property(ms, heldMs, driftFactor, (minHoldMs, held, factor) => {
        const kept = keepMs(minHoldLeftMs(minHoldMs, held, factor), factor);
        // The client's clock and the node's may each be faster than real time by the factor.
        const leastHeld = held / (1 + factor);
        expect(kept === 0).to.equal(leastHeld >= minHoldMs);
        if (kept === 0) return;
        expect(Number.isInteger(kept)).to.equal(true);
        expect(leastHeld + kept / (1 + factor)).to.be.at.least(minHoldMs - 1e-6);
        expect(kept).to.be.at.most(minHoldMs - leastHeld + driftMs(minHoldMs, factor) + 1);
      }),
    );
  });
});

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
        const at = renewalAtMs(firstSendMs, { ttlMs, driftFactor: 0 });
        expect(at).to.be.at.most(firstSendMs + ttlMs / 3);
        expect(at).to.be.at.least(firstSendMs);
        expect(at).to.be.greaterThan(firstSendMs + ttlMs / 3 - Math.max(1, ttlMs / 100) - 1e-6);
      }),
    );
  });

  it("brings leases of one ttl together: few instants, however many leases begin", () => {
    fc.assert(
      fc.property(instant, ttl, fc.array(unit, { minLength: 300 }), (fromMs, ttlMs, parts) => {
        const instants = new Set(
          parts.map((part) => renewalAtMs(fromMs + part * ttlMs, { ttlMs, driftFactor: 0 })),
        );
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
        expect(urgentAt).to.be.greaterThan(
          renewalAtMs(firstSendMs, { ttlMs, driftFactor: 0 }) + ttlMs / 4,
        );
        expect(validUntil - urgentAt).to.be.closeTo(ttlMs / 3, 0.01);
      }),
    );
  });
});

describe("renewalAtMs, where the lease says when", () => {
  it("is that long before the end of the validity where the lease says so, and else as of its ttl", () => {
    const times = { ttlMs: 1_000, driftFactor: 0.01 };
    expect(renewalAtMs(500, times)).to.equal(renewalAtMs(500, { ttlMs: 1_000, driftFactor: 0 }));
    expect(renewalAtMs(500, { ...times, renewBeforeMs: 300 })).to.equal(500 + 988 - 300);
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
        expect(lateAt).to.be.at.least(renewalAtMs(firstSendMs, { ttlMs, driftFactor: 0 }) - 1e-6);
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
        expect(renewalLateAtMs(validityMs, noticeMs)).to.be.above(
          renewalAtMs(0, { ttlMs, driftFactor: 0 }) - 1e-6,
        );
        if (driftFactor <= 0.01 && ttlMs >= 1_000) expect(noticeMs).to.be.above(ttlMs * 0.32);
      }),
    );
    expect(renewalLateAtMs(1_000, 0)).to.equal(Number.POSITIVE_INFINITY);
  });
});

/** One thing that happens to the two clocks between two readings. */
interface Step {
  /** Monotonic time that passes, ms. */
  readonly runMs: number;
  /** What the wall clock does besides, ms: a suspend or a step forward, a step back, noise. */
  readonly jumpMs: number;
}

/** The lease time at every reading. */
function readings(steps: readonly Step[]): number[] {
  let monotonicMs = 100;
  let wallMs = 1_000_000;
  let state: LeaseClockState = startLeaseClock(monotonicMs, wallMs);
  return steps.map(({ runMs, jumpMs }) => {
    monotonicMs += runMs;
    wallMs += runMs + jumpMs;
    state = readLeaseClock(state, monotonicMs, wallMs);
    return monotonicMs + state.addedMs;
  });
}

const added = (steps: readonly Step[]): number =>
  (readings(steps).at(-1) ?? 100) - 100 - steps.reduce((sum, { runMs }) => sum + runMs, 0);

const run = fc.integer({ min: 0, max: 1_000 });
const steps = fc.array(fc.record({ runMs: run, jumpMs: fc.integer({ min: -1e6, max: 1e6 }) }));

describe("lease clock", () => {
  it("never goes back, and never runs slower than monotonic time", () => {
    fc.assert(
      fc.property(steps, (all) => {
        let last = 100;
        readings(all).forEach((lease, index) => {
          expect(lease).to.be.at.least(last + (all[index]?.runMs ?? 0));
          last = lease;
        });
      }),
    );
  });

  it("adds every suspend, also right after the wall clock was set back", () => {
    expect(
      added([
        { runMs: 10, jumpMs: -60_000 },
        { runMs: 10, jumpMs: 5_000 },
      ]),
    ).to.equal(5_000);
  });

  it("adds suspends up, with any steps back between them", () => {
    const suspend = fc.record({
      runMs: run,
      jumpMs: fc.integer({ min: CLOCK_BAND_MS + 1, max: 1e6 }),
    });
    const back = fc.record({ runMs: run, jumpMs: fc.integer({ min: -1e6, max: -1 }) });
    fc.assert(
      fc.property(fc.array(fc.oneof(suspend, back)), (all) => {
        const suspendedMs = all.reduce((sum, { jumpMs }) => sum + Math.max(0, jumpMs), 0);
        expect(added(all)).to.be.at.least(suspendedMs);
      }),
    );
  });

  it("never adds more than the wall clock gained in all", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const gainedMs = all.reduce((sum, { jumpMs }) => sum + Math.max(0, jumpMs), 0);
        expect(added(all)).to.be.at.most(gainedMs);
      }),
    );
  });

  it("adds nothing for noise within the band", () => {
    // The wall clock is off by up to the band at each reading, and not off any further in the end.
    const offsets = fc.array(uniform(0, CLOCK_BAND_MS));
    fc.assert(
      fc.property(offsets, (all) => {
        let state = startLeaseClock(0, 0);
        all.forEach((offMs, index) => {
          state = readLeaseClock(state, index, index + offMs);
        });
        expect(state.addedMs).to.equal(0);
      }),
    );
  });

  it("takes growth of exactly the band for noise, and a hair more for a jump", () => {
    expect(added([{ runMs: 0, jumpMs: CLOCK_BAND_MS }])).to.equal(0);
    expect(added([{ runMs: 0, jumpMs: CLOCK_BAND_MS + 0.25 }])).to.equal(CLOCK_BAND_MS + 0.25);
  });

  it("notices a wall clock that is slewed ahead little by little", () => {
    const slewed = Array.from({ length: 100 }, () => ({ runMs: 100, jumpMs: 1 }));
    expect(added(slewed)).to.be.within(100 - CLOCK_BAND_MS, 100);
  });
});

describe("armedMs", () => {
  it("is never early, whatever part of a millisecond has passed, and less than 2 ms late", () => {
    const delay = fc.integer({ min: 0, max: 5_000_000 }).map((us) => us / 1_000);
    const passed = fc.integer({ min: 0, max: 999 }).map((us) => us / 1_000);
    fc.assert(
      fc.property(delay, passed, (delayMs, passedMs) => {
        // Node counts whole milliseconds from the beginning of the one that it is in.
        const firesAfterMs = armedMs(delayMs) - passedMs;
        expect(firesAfterMs)
          .to.be.above(delayMs)
          .and.at.most(delayMs + 2);
      }),
    );
  });
});
