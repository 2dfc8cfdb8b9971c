import type { EventEmitter } from "node:events";
import type { RedisClient } from "../../redis/client-types.js";
import type { ExecutionResult, ExecutionStats, RedlockAbortSignal } from "./execution.js";
import type { Scripts } from "./scripts.js";
import type { Settings } from "./settings.js";

type Routine<T> = (signal: RedlockAbortSignal) => Promise<T>;

/** The creator of a lock, as the lock sees it: see `Redlock` for documentation. */
export interface Locker extends EventEmitter {
  readonly clients: Set<RedisClient>;
  readonly settings: Settings;
  readonly scripts: Scripts;
  acquire(resources: string[], duration: number, settings?: Partial<Settings>): Promise<Lock>;
  release(lock: Lock, settings?: Partial<Settings>): Promise<ExecutionResult>;
  extend(existing: Lock, duration: number, settings?: Partial<Settings>): Promise<Lock>;
  using<T>(
    resources: string[],
    duration: number,
    settings: Partial<Settings>,
    routine?: Routine<T>,
  ): Promise<T>;
  using<T>(resources: string[], duration: number, routine: Routine<T>): Promise<T>;
  quit(): Promise<void>;
}

/** Locked resources. Plain data: anyone who has its value can extend and release it. */
export class Lock {
  readonly redlock: Locker;
  readonly resources: string[];
  /** The value in the lock keys. Keep it secret: anyone who has it can release the lock. */
  readonly value: string;
  readonly attempts: readonly Promise<ExecutionStats>[];
  /** When the validity ends, wall clock, ms since 1970; 0 once it is extended or released. */
  expiration: number;

  constructor(
    redlock: Locker,
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

  /** See `Redlock.release`. */
  async release(): Promise<ExecutionResult> {
    return this.redlock.release(this);
  }

  /** See `Redlock.extend`: the returned lock replaces this one. */
  async extend(duration: number): Promise<Lock> {
    return this.redlock.extend(this, duration);
  }
}
