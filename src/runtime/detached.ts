import { AsyncResource } from "node:async_hooks";
import type { Clock } from "../coordinator/ports.js";

/** The async context of no caller. */
const outside = new AsyncResource("QUORATE");

/**
 * Calls it immediately, outside any caller's async context. Connections, batches and timers serve many callers, and
 * must not carry the context (trace, request, locks) of the first caller over to all others.
 */
export function detached<T>(run: () => T): T {
  return outside.runInAsyncScope(run);
}

/** The same clock; its callbacks run outside any caller's async context. */
export function detachedClock(clock: Clock): Clock {
  return {
    ...clock,
    setTimer: (delayMs, callback) => detached(() => clock.setTimer(delayMs, callback)),
    defer: (callback) => detached(() => clock.defer(callback)),
  };
}
