export { Lock, Redlock as default } from "./redlock.js";
export { ExecutionError, ResourceLockedError } from "./execution.js";
export type { Settings } from "./settings.js";
export type {
  ClientExecutionResult,
  ExecutionResult,
  ExecutionStats,
  RedlockAbortSignal,
} from "./execution.js";
