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

/**
 * The same clock, and the callbacks in no async context of ours.
 *
 * @param detached what is called in place of a callback: one timer serves many locks, and must not carry
 *   the async context of whoever happened to arm it to all of them
 */
export function detachedClock(clock: Clock, detached: (callback: () => void) => () => void): Clock {
  return {
    ...clock,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, detached(callback)),
    defer: (callback) => clock.defer(detached(callback)),
  };
}

function systemTimer(delayMs: number, callback: () => void): Timer {
  const handle = setTimeout(callback, Math.min(armedMs(delayMs), MAX_TIMER_MS));
  return { cancel: () => clearTimeout(handle) };
}
