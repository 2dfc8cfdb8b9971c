export { LockManager } from "./lock-manager.js";
export { Lock } from "./lock.js";
export {
  ClosedError,
  ForeignKeyError,
  LockContendedError,
  LockLostError,
  MisconfiguredError,
  PermitsMismatchError,
  QuorateError,
  QuorumUnreachableError,
  ReentryError,
  ValidityExhaustedError,
  WaitTimeoutError,
} from "./errors.js";
export { DEFAULTS } from "./options.js";

export type { Election } from "./election/election.js";
export type { Term } from "./election/term.js";
export type { Semaphore } from "./semaphore.js";
export type { ReleaseResult } from "./coordinator/release.js";
export type { LossReason } from "./coordinator/context.js";
export type { HeldAlready, NodeVote, QuorateErrorCode, ReentryProblem } from "./errors.js";
export type { LockManagerEvents, NodeState, NodeStatus, QuorateWarning } from "./events.js";
export type {
  AcquireOptions,
  ElectOptions,
  LockLayout,
  LockManagerOptions,
  LockMode,
  LockOptions,
  PermitOptions,
  RetryOptions,
  SemaphoreOptions,
} from "./options.js";
export type { FaultKind } from "./protocol/operation.js";
export type { NodeConfig, NodeOptions, RedisLike } from "./redis/node-config.js";
