import { createRedlock, IoredisAdapter } from "redlock-universal";
import { openClients } from "./clients.js";
import { heldBySignal, type Grant, type Subject } from "./subject.js";

export const redlockUniversal: Subject = {
  lockKey: (name) => name,
  open: async (urls, options) => {
    const clients = await openClients(urls, options);
    const adapters = clients.map((client) => new IoredisAdapter(client));
    const lockOf = (key: string, ttl: number, once: { retryAttempts?: number } = {}) =>
      createRedlock({ adapters, key, ttl, ...once });
    const acquire = async (lock: ReturnType<typeof lockOf>): Promise<Grant> => {
      const handle = await lock.acquire();
      // The handle has no validity: `acquiredAt` is when the reply was received.
      return { statedValidityMs: undefined, release: () => lock.release(handle) };
    };
    return {
      acquire: (name, ttlMs) => acquire(lockOf(name, ttlMs)),
      tryAcquire: (name, ttlMs) => acquire(lockOf(name, ttlMs, { retryAttempts: 0 })),
      hold: (name, ttlMs, routine) =>
        lockOf(name, ttlMs).using((signal) => routine(heldBySignal(signal))),
    };
  },
};
