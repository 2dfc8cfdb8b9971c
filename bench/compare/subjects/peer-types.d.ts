// The parts of the peers that are used.
declare module "@sesamecare-oss/redlock" {
  import type { Redis } from "ioredis";

  export class ExecutionError extends Error {}

  export interface Lock {
    extend(duration: number): Promise<Lock>;
    release(): Promise<unknown>;
  }

  export class Redlock {
    constructor(clients: Iterable<Redis>, settings?: { retryCount?: number; db?: number });
    acquire(resources: string[], duration: number): Promise<Lock>;
    quit(): Promise<void>;
  }
}

declare module "redis-semaphore" {
  import type { Redis } from "ioredis";

  export interface LockOptions {
    lockTimeout?: number;
    acquireAttemptsLimit?: number;
    refreshInterval?: number;
    onLockLost?: (error: Error) => void;
  }

  export class TimeoutError extends Error {}

  abstract class Lock {
    readonly isAcquired: boolean;
    acquire(): Promise<void>;
    tryAcquire(): Promise<boolean>;
    release(): Promise<void>;
  }

  export class Mutex extends Lock {
    constructor(client: Redis, key: string, options?: LockOptions);
  }

  export class RedlockMutex extends Lock {
    constructor(clients: Redis[], key: string, options?: LockOptions);
  }

  export class RedlockSemaphore extends Lock {
    constructor(clients: Redis[], key: string, maxCount: number, options?: LockOptions);
  }
}

declare module "redlock-universal" {
  import type { Redis } from "ioredis";

  export class IoredisAdapter {
    constructor(client: Redis);
    getClient(): Redis;
  }

  export interface LockHandle {
    readonly id: string;
  }

  export class LockAcquisitionError extends Error {}

  export interface RedLock {
    acquire(): Promise<LockHandle>;
    extend(handle: LockHandle, ttl: number): Promise<boolean>;
    release(handle: LockHandle): Promise<boolean>;
    using<T>(routine: (signal: AbortSignal) => Promise<T>): Promise<T>;
  }

  interface Config {
    key: string;
    ttl?: number;
    retryAttempts?: number;
  }

  export function createLock(config: Config & { adapter: IoredisAdapter }): RedLock;
  export function createRedlock(config: Config & { adapters: IoredisAdapter[] }): RedLock;
}
