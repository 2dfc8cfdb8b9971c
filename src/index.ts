export { LockManager } from "./lock-manager.js";
export { Lock } from "./lock.js";
export type { LockDescription } from "./lock.js";
export {
  ClosedError,
  ForeignKeyError,
  MixedLayoutError,
  LockContendedError,
  LockLostError,
  MisconfiguredError,
  NotAdoptableError,
  PermitsMismatchError,
  QuorateError,
  OverloadedError,
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
  RequestOptions,
  RetryOptions,
  SemaphoreOptions,
} from "./options.js";
export type { FaultKind } from "./protocol/operation.js";
export type { ForceReleaseOptions, ForceReleaseResult } from "./inspect/force-release.js";
export type { GivenLock } from "./inspect/given-lock.js";
export type { AdoptOptions } from "./inspect/options.js";
export type { HolderReport, LockReport, NodeReport } from "./inspect/report.js";
export type { LockInfo, LockManagerSnapshot } from "./inspect/snapshot.js";
export type { ReadyOptions } from "./ready.js";
export type { NodeConfig, NodeOptions, RedisLike } from "./redis/node-config.js";
