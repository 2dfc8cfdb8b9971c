import { expect } from "chai";
import { setTimeout as sleep } from "node:timers/promises";
import { coarseAlarm, preciseAlarm, type Alarm } from "../../src/testing/alarm.js";

const ALARMS: [name: string, alarm: Alarm][] = [
  ["coarse", coarseAlarm],
  ["precise", preciseAlarm],
];

for (const [name, alarm] of ALARMS) {
  describe(`a ${name} alarm`, () => {
    for (const ms of [0.25, 1.5, 2.5, 7]) {
      it(`does not come before its ${ms} ms`, async () => {
        const startMs = performance.now();
        await new Promise<void>((resolve) => void alarm(ms, resolve));
        const leastMs = name === "precise" ? ms : Math.ceil(ms) - 1;
        expect(performance.now() - startMs).to.be.least(leastMs);
      });
    }

    for (const [ms, afterMs] of [
      [1.5, 0],
      [8, 0],
      [8, 5],
    ] as const) {
      it(`of ${ms} ms does not come if it is called off after ${afterMs} ms`, async () => {
        let isRung = false;
        const cancel = alarm(ms, () => (isRung = true));
        const startMs = performance.now();
        if (afterMs > 0) await new Promise<void>((resolve) => void preciseAlarm(afterMs, resolve));
        // A coarse one may come a millisecond early.
        const leastMs = name === "precise" ? ms : Math.ceil(ms) - 1;
        const isInTime = performance.now() - startMs < leastMs;
        cancel();
        await sleep(20);
        // On a machine that was stopped meanwhile it has rung, rightly.
        expect(isRung && isInTime).to.equal(false);
      });
    }
  });
}
