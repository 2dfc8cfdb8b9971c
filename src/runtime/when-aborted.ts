import { addAbortListener } from "node:events";

/** What is called when a signal aborts, and by which listener. */
interface Told {
  readonly callbacks: Set<() => void>;
  readonly onAbort: () => void;
}

const toldBy = new WeakMap<AbortSignal, Told>();

function newTold(): Told {
  const callbacks: Told["callbacks"] = new Set();
  const onAbort = (): void => callbacks.forEach((callback) => callback());
  return { callbacks, onAbort };
}

/**
 * Calls back when the signal aborts, even if another listener keeps its event from the others; not if it already has. Any
 * number of calls may share a signal, and from eleven listeners on Node.js warns of a leak: all of them share one. The
 * callback must not throw.
 *
 * @returns to be called when that is of no interest any more
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) return () => {};
  const told = toldBy.get(signal) ?? newTold();
  const { callbacks, onAbort } = told;
  toldBy.set(signal, told);
  callbacks.add(callback);
  // Added again, it is the same listener.
  addAbortListener(signal, onAbort);
  return () => {
    callbacks.delete(callback);
    // What it returns would do the same, but a VM context, as of a test runner, may have no `Symbol.dispose`.
    if (callbacks.size === 0) signal.removeEventListener("abort", onAbort);
  };
}
