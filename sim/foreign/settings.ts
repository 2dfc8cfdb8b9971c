/** Code that is not ours, beside ours on the same nodes and names: as it stands in the wild. */
export type ForeignCode =
  /** The package redlock, version 5. */
  | "redlock"
  /** Redisson's RLock, or its RedissonRedLock on several nodes. */
  | "rlock"
  /** Redisson's RReadWriteLock. */
  | "rwlock"
  /** SETNX and GETSET with the instant at which the lock ends. */
  | "hand-written";

/** One process of it. Plain data, part of a scenario. */
export interface ForeignSettings {
  readonly code: ForeignCode;
  readonly startMs: number;
  readonly wallOffsetMs: number;
  readonly steadyPpm: number;
  readonly wallPpm: number;
  /** How long its locks live, ms. */
  readonly ttlMs: number;
  /** How long it waits for the answer to one command, ms. */
  readonly timeoutMs: number;
  /** Of hand-written code: how it writes an instant. */
  readonly stamps?: "ms" | "seconds" | "fractions" | undefined;
  readonly sessions: readonly ForeignSession[];
}

/** One use of a lock by foreign code. */
export interface ForeignSession {
  readonly atMs: number;
  readonly name: string;
  readonly waitMs: number;
  readonly holdMs: number;
  /** It renews its lock while it holds it, where its code can. */
  readonly renews: boolean;
  /** So many times more it enters while it holds the lock, where its code can. */
  readonly enterCount: number;
  /** Of a read-write lock. */
  readonly mode?: "read" | "write" | undefined;
  /**
   * - `own`: what it takes for its own, by its own recipe
   * - `checked`: only what a node finds to be its own
   * - `careless`: whatever stands there
   * - `never`: it leaves it to its end
   */
  readonly release: "own" | "checked" | "careless" | "never";
}
