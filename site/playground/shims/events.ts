/** The package of that name does what Node's module does. */
export { EventEmitter } from "events";

/** Browsers tell nobody who listens. */
export const getEventListeners = (): [] => [];
