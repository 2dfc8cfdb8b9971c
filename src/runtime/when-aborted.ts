/** What is called when a signal aborts. */
const told = new WeakMap<AbortSignal, Set<() => void>>();

/** Of all signals: it is called with `this` as the one that aborts. */
function onAbort(this: AbortSignal): void {
  told.get(this)?.forEach((callback) => callback());
}

/**
 * Calls back when the signal aborts; not if it already has. Any number of calls may share a signal, and from eleven
 * listeners on Node.js warns of a leak: all of them share one. The callback must not throw.
 *
 * @returns to be called when that is of no interest any more
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = told.get(signal) ?? new Set();
  told.set(signal, callbacks);
  callbacks.add(callback);
  // Added again, it is the same listener.
  signal.addEventListener("abort", onAbort);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener("abort", onAbort);
  };
}
