import { heldBySignal, type Grant, type LockClient } from "./subject.js";

/** The common part of `redlock` and its fork; their own types differ only in details. */
export interface RedlockLike {
  acquire(
    resources: string[],
    durationMs: number,
    settings?: { retryCount?: number },
  ): Promise<RedlockLock>;
  using<T>(
    resources: string[],
    durationMs: number,
    routine: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
}

interface RedlockLock {
  /** Wall clock time. */
  readonly expiration: number;
  release(): Promise<unknown>;
}

export function redlockClient(redlock: RedlockLike): LockClient {
  return {
    acquire: async (name, ttlMs) => grantOf(await redlock.acquire([name], ttlMs)),
    // As in the README for a single attempt.
    tryAcquire: async (name, ttlMs) =>
      grantOf(await redlock.acquire([name], ttlMs, { retryCount: 0 })),
    hold: (name, ttlMs, routine) =>
      redlock.using([name], ttlMs, (signal) => routine(heldBySignal(signal))),
  };
}

function grantOf(lock: RedlockLock): Grant {
  return { statedValidityMs: lock.expiration - Date.now(), release: () => lock.release() };
}
