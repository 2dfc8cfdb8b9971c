export { Redlock as default } from "./redlock.js";
export { Lock } from "./lock.js";
export { ExecutionError, ResourceLockedError } from "./errors.js";
export type { Settings } from "./settings.js";
export type {
  ClientExecutionResult,
  ExecutionResult,
  ExecutionStats,
  RedlockAbortSignal,
} from "./execution.js";
