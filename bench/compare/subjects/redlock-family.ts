import { heldBySignal, type Grant, type LockClient } from "./subject.js";

/** What `redlock` and its descendant have in common; their own types differ in details only. */
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
    // As the README has it for a single try.
    tryAcquire: async (name, ttlMs) =>
      grantOf(await redlock.acquire([name], ttlMs, { retryCount: 0 })),
    hold: (name, ttlMs, routine) =>
      redlock.using([name], ttlMs, (signal) => routine(heldBySignal(signal))),
  };
}

function grantOf(lock: RedlockLock): Grant {
  return { statedValidityMs: lock.expiration - Date.now(), release: () => lock.release() };
}
