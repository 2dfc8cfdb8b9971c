import type { Clock, Timer } from "../coordinator/ports.js";
import {
  armedMs,
  CLOCK_BAND_MS,
  readLeaseClock,
  startLeaseClock,
} from "../protocol/lease-clock.js";

/** Readings of both clocks further apart than the band were torn by a preemption; read again. */
const MAX_READS = 3;

/**
 * The process's clocks and timers. Everything measures on one instance.
 *
 * @param detached what is called in place of a callback: one timer serves many locks, and must not carry
 *   the async context of whoever happened to arm it to all of them
 */
export function systemClock(
  detached: (callback: () => void) => () => void = (callback) => callback,
): Clock {
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
    setTimer: (delayMs, callback) => systemTimer(delayMs, detached(callback)),
    // Within this turn of the loop: what the callbacks of a reply ask for is together by then, and
    // waiting for the loop's next phase would only add to every round trip.
    defer: (callback) => process.nextTick(detached(callback)),
  };
}

function systemTimer(delayMs: number, callback: () => void): Timer {
  const handle = setTimeout(callback, armedMs(delayMs));
  return { cancel: () => clearTimeout(handle) };
}
