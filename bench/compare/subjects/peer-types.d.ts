// The parts of the peers that are used.
declare module "@sesamecare-oss/redlock" {
  import type { Redis } from "ioredis";

  export class Redlock {
    constructor(clients: Iterable<Redis>);
    quit(): Promise<void>;
  }
}

declare module "redis-semaphore" {
  import type { Redis } from "ioredis";

  export interface LockOptions {
    lockTimeout?: number;
    acquireAttemptsLimit?: number;
    onLockLost?: (error: Error) => void;
  }

  export class RedlockMutex {
    constructor(clients: Redis[], key: string, options?: LockOptions);
    readonly isAcquired: boolean;
    acquire(): Promise<void>;
    tryAcquire(): Promise<boolean>;
    release(): Promise<void>;
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

  export interface RedLock {
    acquire(): Promise<LockHandle>;
    release(handle: LockHandle): Promise<boolean>;
    using<T>(routine: (signal: AbortSignal) => Promise<T>): Promise<T>;
  }

  export function createRedlock(config: {
    adapters: IoredisAdapter[];
    key: string;
    ttl?: number;
    retryAttempts?: number;
  }): RedLock;
}
