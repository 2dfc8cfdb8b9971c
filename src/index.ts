export type { LockLayout } from "./protocol/lock-layout.js";
export { LockManager } from "./manager/lock-manager.js";
export {
  ClosedError,
  LockHeldError,
  LockLostError,
  NoQuorumError,
  NotAdoptableError,
  NotReadyError,
  QuorateError,
} from "./api/errors.js";
export { ForeignKeyError, MisconfiguredError, PermitsMismatchError } from "./api/node-errors.js";
export { DEFAULTS } from "./options/table.js";
export { closeOnSignals, type CloseOnSignalsOptions } from "./manager/close-on-signals.js";

export type { Election, Term } from "./api/election.js";
export type { GivenLock, Lock } from "./api/lock.js";
export type { ObservedHolder } from "./api/observed.js";
export type { CloseOptions, Locks, ReadyOptions } from "./api/locks.js";
export type { Semaphore } from "./api/semaphore.js";
export type { ReleaseResult } from "./coordinator/release-result.js";
export type { LossReason } from "./coordinator/loss.js";
export type { QuorateErrorCode } from "./api/errors.js";
export type { NodeVote } from "./api/tally.js";
export type {
  LateLock,
  LockManagerEvents,
  NodeState,
  NodeStatus,
  QuorateWarning,
  QuorumStatus,
} from "./api/events.js";
export type {
  AcquireOptions,
  AdoptOptions,
  ElectOptions,
  LockManagerOptions,
  LockMode,
  LockOptions,
  PermitOptions,
  RequestOptions,
  RetryOptions,
  SemaphoreOptions,
} from "./api/options.js";
export type { FaultKind } from "./protocol/operation.js";
export type {
  ForceReleaseOptions,
  ForceReleaseResult,
  HolderReport,
  LockInfo,
  LockManagerSnapshot,
  LockReport,
  NodeReport,
} from "./api/reports.js";
export type { NodeConfig } from "./nodes/simulated-nodes.js";
export type { RedisLike } from "./redis/client-types.js";
export type { Credentials } from "./redis/credentials.js";
export type { NodeOptions } from "./redis/node-config.js";
export type { NodeRedisLike } from "./redis/node-redis-options.js";
export type {
  AcquireMessage,
  AcquireOutcome,
  AttemptMessage,
  ExtendMessage,
  LateMessage,
  LockMessage,
  LostMessage,
  NodeMessage,
  ReleaseMessage,
  RequestMessage,
  RoundMessage,
  RoundVote,
  WaitingMessage,
} from "./telemetry/messages.js";
