import type { Clock, Timer } from "../coordinator/ports.js";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
} from "../protocol/lease-clock.js";

/** The longest that `setTimeout` takes, ms: it calls back at once for more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Readings of both clocks further apart than the band were torn by a preemption; read again. */
const MAX_READS = 3;

/** The process's clocks and timers. Everything measures on one instance. */
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
    // Within this turn of the loop: what the callbacks of a reply ask for is together by then, and
    // waiting for the loop's next phase would only add to every round trip.
    defer: (callback) => process.nextTick(callback),
  };
}

function systemTimer(delayMs: number, callback: () => void): Timer {
  const handle = setTimeout(callback, Math.min(armedMs(delayMs), MAX_TIMER_MS));
  return { cancel: () => clearTimeout(handle) };
}
