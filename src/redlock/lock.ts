import type { Redlock } from "./redlock.js";
import type { ExecutionResult, ExecutionStats } from "./execution.js";

/** Resources that were locked. Plain data: whoever has its value may extend and release it. */
export class Lock {
  readonly redlock: Redlock;
  readonly resources: string[];
  /** In the lock keys. A secret: who has it can release. */
  readonly value: string;
  readonly attempts: readonly Promise<ExecutionStats>[];
  /** When the validity ends, wall clock, ms since 1970; 0 once it is extended or released. */
  expiration: number;

  constructor(
    redlock: Redlock,
    resources: string[],
    value: string,
    attempts: readonly Promise<ExecutionStats>[],
    expiration: number,
  ) {
    this.redlock = redlock;
    this.resources = resources;
    this.value = value;
    this.attempts = attempts;
    this.expiration = expiration;
  }

  /** See {@link Redlock.release}. */
  async release(): Promise<ExecutionResult> {
    return this.redlock.release(this);
  }

  /** See {@link Redlock.extend}: the lock that it resolves to takes the place of this one. */
  async extend(duration: number): Promise<Lock> {
    return this.redlock.extend(this, duration);
  }
}
