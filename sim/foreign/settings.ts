/** Foreign lock code on the same nodes and names as ours, as found in the wild. */
export type ForeignCode =
  /** The package redlock, version 5. */
  | "redlock"
  /** A random value under the key, as the servers' documentation recommends, by commands of Redis 8.4. */
  | "token"
  /** Redisson's RLock, or its RedissonRedLock on several nodes. */
  | "rlock"
  /** Redisson's RReadWriteLock. */
  | "rwlock"
  /** SETNX and GETSET with the instant at which the lock ends. */
  | "hand-written";

/** One process of foreign code. Plain data, part of a scenario. */
export interface ForeignSettings {
  readonly code: ForeignCode;
  readonly startMs: number;
  readonly wallOffsetMs: number;
  readonly steadyPpm: number;
  readonly wallPpm: number;
  /** The ttl of its locks, ms. */
  readonly ttlMs: number;
  /** Timeout of one command, ms. */
  readonly timeoutMs: number;
  /** Hand-written code only: how it writes an instant. */
  readonly stamps?: "ms" | "seconds" | "fractions" | undefined;
  readonly sessions: readonly ForeignSession[];
}

/** One use of a lock by foreign code. */
export interface ForeignSession {
  readonly atMs: number;
  readonly name: string;
  readonly waitMs: number;
  readonly holdMs: number;
  /** It renews its lock while it holds it, if its code can. */
  readonly renews: boolean;
  /** How often it re-enters while it holds the lock, if its code can. */
  readonly enterCount: number;
  /** Read-write locks only. */
  readonly mode?: "read" | "write" | undefined;
  /**
   * - `own`: what it takes for its own, by its own recipe
   * - `checked`: only a lock that the node confirms to be its own
   * - `careless`: whatever the key holds
   * - `never`: it lets the lock expire
   */
  readonly release: "own" | "checked" | "careless" | "never";
}
