import { expect } from "chai";
import * as fc from "fast-check";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
  type LeaseClockState,
} from "../../src/protocol/lease-clock.js";
import { uniform } from "../support/uniform.js";

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
