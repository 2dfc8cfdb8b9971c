import { LockManager } from "../../src/index.js";
import { TTL_MS, type Subject } from "./subject.js";

/** This package with its defaults. */
export function quorate(): Subject {
  let locks: LockManager | undefined;
  return {
    sends: ["eval", "evalsha"],
    open: async (urls) => {
      locks = new LockManager(urls, { ttlMs: TTL_MS });
      await locks.ready();
    },
    cycle: async (name) => {
      const lock = await locks?.acquire(name);
      await lock?.release();
    },
  };
}
