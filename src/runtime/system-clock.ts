import type { Clock, Timer } from "../coordinator/ports.js";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
} from "../protocol/lease-clock.js";
import { detached } from "./detached.js";
import { MAX_TIMER_MS } from "./validate.js";

/** If the readings differ by more, the process was preempted between them; they are read again. */
const MAX_READS = 3;

/** The process's clocks, and timers outside any caller's async context. All measurements use one instance. */
export function systemClock(): Clock {
  let state = startLeaseClock(performance.now(), Date.now());

  const now = (): number => {
    let before = performance.now();
    for (let reads = 1; ; reads++) {
      const wall = Date.now();
      const after = performance.now();
      if (after - before < CLOCK_BAND_MS || reads === MAX_READS) {
        state = readLeaseClock(state, before, wall);
        return after + state.addedMs;
      }
      before = after;
    }
  };

  return {
    now,
    steady: () => performance.now(),
    wallUs: () => Date.now() * 1_000,
    setTimer: systemTimer,
    // Within this turn of the loop: the requests made in the callbacks of a reply are together by then, and waiting
    // for the loop's next phase would only lengthen every round trip.
    defer: (callback) => detached(() => process.nextTick(callback)),
  };
}

function systemTimer(delayMs: number, callback: () => void): Timer {
  const armed = Math.min(armedMs(delayMs), MAX_TIMER_MS);
  const handle = detached(() => setTimeout(callback, armed));
  return { cancel: () => clearTimeout(handle) };
}
