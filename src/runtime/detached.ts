import { AsyncResource } from "node:async_hooks";
import type { Clock } from "../coordinator/ports.js";

/** Of no caller's. */
const outside = new AsyncResource("QUORATE");

/**
 * Runs it at once, in no caller's async context. Connections, batches and timers serve many callers, and must not
 * carry the context (the trace, the request, the locks) of whoever happened to come first to all of them.
 */
export function detached<T>(run: () => T): T {
  return outside.runInAsyncScope(run);
}

/** The same clock; its callbacks run in no caller's async context. */
export function detachedClock(clock: Clock): Clock {
  return {
    ...clock,
    setTimer: (delayMs, callback) => detached(() => clock.setTimer(delayMs, callback)),
    defer: (callback) => detached(() => clock.defer(callback)),
  };
}
