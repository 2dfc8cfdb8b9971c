export { Redlock as default } from "./redlock.js";
export { Lock } from "./lock.js";
export { ExecutionError, ResourceLockedError } from "./errors.js";
export type { Settings } from "./settings.js";
export type { ClientExecutionResult, ExecutionResult, ExecutionStats } from "./execution.js";
export type { RedlockAbortSignal } from "./using.js";
