import { expect } from "chai";
import { checkedDrainMs, Drain } from "../../src/manager/drain.js";
import { ManualClock, settle } from "../support/manual-clock.js";

describe("Drain", () => {
  /** Begun with a limit; `isOver` is what its promise says. */
  function begun(drainMs: number) {
    const clock = new ManualClock();
    const drain = new Drain(clock);
    const state = { isOver: false, isEmpty: false };
    drain.limit(drainMs);
    void drain.wait(() => state.isEmpty).then(() => (state.isOver = true));
    const isOverAfter = async (ms: number): Promise<boolean> => {
      clock.advance(ms);
      await settle();
      return state.isOver;
    };
    return { clock, drain, state, isOverAfter };
  }

  it("is over when nothing is left, and leaves no timer", async () => {
    const { clock, drain, state, isOverAfter } = begun(1_000);
    expect(await isOverAfter(10)).to.equal(false);
    drain.look();
    expect(await isOverAfter(10)).to.equal(false);
    state.isEmpty = true;
    drain.look();
    expect(await isOverAfter(0)).to.equal(true);
    expect(clock.timerCount).to.equal(0);
  });

  it("is over when its time is", async () => {
    const { clock, isOverAfter } = begun(1_000);
    expect(await isOverAfter(999)).to.equal(false);
    expect(await isOverAfter(1)).to.equal(true);
    expect(clock.timerCount).to.equal(0);
  });

  for (const { limits, overMs } of [
    { limits: [500], overMs: 600 },
    { limits: [5_000], overMs: 1_000 },
    { limits: [Number.POSITIVE_INFINITY], overMs: 1_000 },
    { limits: [500, 100, 800], overMs: 200 },
    { limits: [0], overMs: 100 },
  ]) {
    it(`limited to ${limits.join(", ")} ms more after 100 of 1000 ends after ${overMs} ms`, async () => {
      const { drain, isOverAfter } = begun(1_000);
      await isOverAfter(100);
      for (const limit of limits) drain.limit(limit);
      expect(await isOverAfter(0)).to.equal(overMs === 100);
      if (overMs > 100) expect(await isOverAfter(overMs - 101)).to.equal(false);
      expect(await isOverAfter(1)).to.equal(true);
    });
  }

  it("takes as its options what they are", () => {
    expect(checkedDrainMs({})).to.equal(0);
    expect(checkedDrainMs({ drainMs: undefined })).to.equal(0);
    expect(checkedDrainMs({ drainMs: Number.POSITIVE_INFINITY })).to.equal(Infinity);
    for (const [options, message] of [
      [{ drainMs: -1 }, /`drainMs` must be at least 0 ms, got -1/],
      [{ drainMs: Number.NaN }, /`drainMs` must be a number, got NaN/],
      [{ drainMs: "5" }, /`drainMs` must be a number, got "5"/],
      [{ drainMS: 5 }, /unknown option `drainMS`: did you mean `drainMs`\?/],
      [5, /options must be an object, got 5/],
    ] as const) {
      expect(() => checkedDrainMs(options as object)).to.throw(message);
    }
  });
});
