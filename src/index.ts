export type { LockLayout } from "./lock-layout.js";
export { LockManager } from "./lock-manager.js";
export {
  ClosedError,
  LockHeldError,
  LockLostError,
  NoQuorumError,
  NotAdoptableError,
  NotReadyError,
  QuorateError,
} from "./errors.js";
export { ForeignKeyError, MisconfiguredError, PermitsMismatchError } from "./node-errors.js";
export { DEFAULTS } from "./options/table.js";
export { closeOnSignals, type CloseOnSignalsOptions } from "./close-on-signals.js";

export type { Election, Term } from "./face/election.js";
export type { Lock, LockDescription } from "./face/lock.js";
export type { Locks } from "./face/locks.js";
export type { Semaphore } from "./face/semaphore.js";
export type { ReleaseResult } from "./coordinator/release-result.js";
export type { LossReason } from "./coordinator/loss.js";
export type { QuorateErrorCode } from "./errors.js";
export type { NodeVote } from "./tally.js";
export type {
  LateLock,
  LockManagerEvents,
  NodeState,
  NodeStatus,
  QuorateWarning,
  QuorumStatus,
} from "./events.js";
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
} from "./options/options.js";
export type { FaultKind } from "./protocol/operation.js";
export type { ForceReleaseOptions, ForceReleaseResult } from "./inspect/force-release.js";
export type { GivenLock } from "./inspect/given-lock.js";
export type { HolderReport, LockReport, NodeReport } from "./inspect/report.js";
export type { LockInfo, LockManagerSnapshot } from "./inspect/snapshot.js";
export type { CloseOptions } from "./drain.js";
export type { ReadyOptions } from "./ready.js";
export type { NodeConfig, NodeOptions, NodeRedisLike, RedisLike } from "./redis/node-config.js";
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
