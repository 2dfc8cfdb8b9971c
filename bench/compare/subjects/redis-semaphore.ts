import type { Redis } from "ioredis";
import { RedlockMutex } from "redis-semaphore";
import { openClients } from "./clients.js";
import type { Grant, Subject } from "./subject.js";

/** It does not state a validity. */
function grantOf(mutex: RedlockMutex): Grant {
  return { statedValidityMs: undefined, release: () => mutex.release() };
}

export const redisSemaphore: Subject = {
  lockKey: (name) => `mutex:${name}`,
  open: async (urls, options) => {
    const clients: Redis[] = [...(await openClients(urls, options))];
    return {
      acquire: async (name, ttlMs) => {
        const mutex = new RedlockMutex(clients, name, { lockTimeout: ttlMs });
        await mutex.acquire();
        return grantOf(mutex);
      },
      tryAcquire: async (name, ttlMs) => {
        const settings = { lockTimeout: ttlMs, acquireAttemptsLimit: 1 };
        const mutex = new RedlockMutex(clients, name, settings);
        return (await mutex.tryAcquire()) ? grantOf(mutex) : undefined;
      },
      // As in the README's example that handles a lost lock.
      hold: async (name, ttlMs, routine) => {
        const lost = new AbortController();
        const onLockLost = (): void => lost.abort();
        const mutex = new RedlockMutex(clients, name, { lockTimeout: ttlMs, onLockLost });
        await mutex.acquire();
        try {
          return await routine({
            isHeld: () => mutex.isAcquired,
            onLost: (listener) => lost.signal.addEventListener("abort", listener),
          });
        } finally {
          await mutex.release();
        }
      },
    };
  },
};
