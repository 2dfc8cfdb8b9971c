/** The package of that name does what Node's module does. */
export { EventEmitter } from "events";

/** No listener of the playground keeps an event from the others. */
export function addAbortListener(signal: AbortSignal, listener: () => void): Disposable {
  signal.addEventListener("abort", listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

/** Browsers warn of no number of listeners. */
export const setMaxListeners = (): void => {};

/** Browsers tell nobody who listens. */
export const getEventListeners = (): [] => [];
