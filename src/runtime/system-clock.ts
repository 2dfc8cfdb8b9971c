import type { Clock, Timer } from "../coordinator/ports.js";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
} from "../protocol/lease-clock.js";
import { MAX_TIMER_MS } from "./validate.js";

/** If the readings differ by more, the process was preempted between them; they are read again. */
const MAX_READS = 3;

/** The process's clocks and timers. All measurements use one instance. */
export function systemClock(): Clock {
  const steady = (): number => performance.now();
  let state = startLeaseClock(steady(), Date.now());

  const now = (): number => {
    let before = steady();
    for (let reads = 1; ; reads++) {
      const wall = Date.now();
      const after = steady();
      if (after - before < CLOCK_BAND_MS || reads === MAX_READS) {
        state = readLeaseClock(state, before, wall);
        return after + state.addedMs;
      }
      before = after;
    }
  };

  return {
    now,
    steady,
    wallUs: () => Date.now() * 1_000,
    setTimer: (delayMs, callback) => systemTimer(delayMs, callback),
    // Within this turn of the loop: the requests made in the callbacks of a reply are together by then, and waiting
    // for the loop's next phase would only lengthen every round trip.
    defer: (callback) => process.nextTick(callback),
  };
}

function systemTimer(delayMs: number, callback: () => void): Timer {
  const handle = setTimeout(callback, Math.min(armedMs(delayMs), MAX_TIMER_MS));
  return { cancel: () => clearTimeout(handle) };
}
