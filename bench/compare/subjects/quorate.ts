import { setTimeout as sleep } from "node:timers/promises";
import { LockManager, type Lock } from "../../../src/index.js";
import { heldBySignal, type Grant, type Subject } from "./subject.js";

const grantOf = (lock: Lock): Grant => ({
  statedValidityMs: lock.remainingMs,
  release: () => lock.release(),
});

export const quorate: Subject = {
  lockKey: (name) => `lock:${name}`,
  // It opens its own connections, so the client options do not apply.
  open: async (urls) => {
    const locks = new LockManager(urls);
    await locks.ready();
    // `ready` waits for a quorum only; the other subjects are connected to all nodes at this point.
    for (let i = 0; i < 50 && locks.nodes.some(({ state }) => state === "connecting"); i++) {
      await sleep(20);
    }
    return {
      acquire: async (name, ttlMs) => grantOf(await locks.acquire(name, { ttlMs })),
      tryAcquire: async (name, ttlMs) => {
        const lock = await locks.tryAcquire(name, { ttlMs });
        return lock === null ? undefined : grantOf(lock);
      },
      hold: (name, ttlMs, routine) =>
        locks.request(name, { ttlMs }, (lock) =>
          routine(heldBySignal(lock.signal, () => lock.isHeld)),
        ),
    };
  },
};
