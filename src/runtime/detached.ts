import { AsyncResource } from "node:async_hooks";

/** The async context of no caller. */
const outside = new AsyncResource("QUORATE");

/**
 * Calls it immediately, outside any caller's async context. Connections, batches and timers serve many callers, and
 * must not carry the context (trace, request, locks) of the first caller over to all others.
 */
export function detached<T>(run: () => T): T {
  return outside.runInAsyncScope(run);
}
