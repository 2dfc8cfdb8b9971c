import { expect } from "chai";
import type { Timer } from "../../src/coordinator/ports.js";
import { GraceTimers } from "../../src/manager/grace-timers.js";
import { ManualClock } from "../support/manual-clock.js";

/** A clock that knows which of its timers keep the process alive. */
class CountedClock extends ManualClock {
  readonly alive = new Set<Timer>();

  override setTimer(delayMs: number, callback: () => void): Timer {
    const armed = super.setTimer(delayMs, () => {
      this.alive.delete(timer);
      callback();
    });
    const timer: Timer = {
      cancel: () => {
        this.alive.delete(timer);
        armed.cancel();
      },
      unref: () => this.alive.delete(timer),
    };
    this.alive.add(timer);
    return timer;
  }
}

describe("Timers of a grace", () => {
  it("keep the process alive until the manager is closed, and run on then", () => {
    const clock = new CountedClock();
    const graces = new GraceTimers(clock);
    const over: string[] = [];
    graces.setTimer(10, () => over.push("before"));
    graces.setTimer(20, () => over.push("during"));
    graces.setTimer(20, () => over.push("cancelled")).cancel();
    clock.advance(10);
    expect(clock.alive.size).to.equal(1);
    graces.close();
    graces.setTimer(20, () => over.push("after"));
    expect(clock.alive.size).to.equal(0);
    clock.advance(20);
    expect(over).to.deep.equal(["before", "during", "after"]);
  });
});
