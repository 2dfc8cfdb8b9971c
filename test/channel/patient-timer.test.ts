import { expect } from "chai";
import { setPatientTimer } from "../../src/channel/patient-timer.js";
import { ManualClock } from "../support/manual-clock.js";

/** Runs for so long, or stalls, by turns; whether the callback was called, after each. */
function outcomes(...spans: readonly number[]): boolean[] {
  const clock = new ManualClock();
  let isCalled = false;
  setPatientTimer(clock, 100, () => {
    isCalled = true;
  });
  return spans.map((ms, index) => {
    if (index % 2 === 0) clock.advance(ms);
    else clock.stall(ms);
    return isCalled;
  });
}

describe("setPatientTimer", () => {
  const table: readonly [string, readonly number[], readonly boolean[]][] = [
    ["calls back after its delay", [99, 0, 1], [false, false, true]],
    [
      "does not count a part in which nothing ran",
      [60, 300, 49, 0, 1],
      [false, false, false, false, true],
    ],
    ["counts a part that was hardly late", [10, 30, 0, 0, 60], [false, false, false, false, false]],
  ];
  for (const [title, spans, called] of table) {
    it(title, () => {
      expect(outcomes(...spans)).to.deep.equal(called);
    });
  }

  it("calls back in the end, however often nothing runs", () => {
    const stalls = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 0 : 5_000));
    const called = outcomes(...stalls);
    expect(called.indexOf(true)).to.be.within(20, 39);
  });

  it("never calls back once it is cancelled, in whatever part", () => {
    for (const afterMs of [0, 30, 99]) {
      const clock = new ManualClock();
      const timer = setPatientTimer(clock, 100, () => expect.fail("called"));
      clock.advance(afterMs);
      timer.cancel();
      clock.advance(1_000);
      expect(clock.timerCount).to.equal(0);
    }
  });
});
