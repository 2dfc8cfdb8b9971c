import type { ExecutionStats } from "./execution.js";

/** What users of redlock match on; the texts are part of its interface. */
export const NO_QUORUM = "The operation was unable to achieve a quorum during its retry window.";
export const ALREADY_EXPIRED = "Cannot extend an already-expired lock.";

/** A node's vote against: it has another lock, or no longer has ours. */
export class ResourceLockedError extends Error {
  override readonly message: string;

  constructor(message: string) {
    super(message);
    this.message = message;
    this.name = "ResourceLockedError";
  }
}

/** An operation that found no quorum, with what each node said in each attempt. */
export class ExecutionError extends Error {
  override readonly message: string;
  readonly attempts: readonly Promise<ExecutionStats>[];

  constructor(message: string, attempts: readonly Promise<ExecutionStats>[]) {
    super(message);
    this.message = message;
    this.attempts = attempts;
    this.name = "ExecutionError";
  }
}
