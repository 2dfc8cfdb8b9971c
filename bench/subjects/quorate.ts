import { LockManager } from "../../src/index.js";
import { TTL_MS, type Subject } from "./subject.js";

/** This package with its defaults, or without fencing. */
export function quorate(fencing: boolean): Subject {
  let locks: LockManager | undefined;
  return {
    sends: ["eval", "evalsha"],
    open: async (urls) => {
      locks = new LockManager(urls, { ttlMs: TTL_MS, fencing });
      await locks.ready();
    },
    cycle: async (name) => {
      const lock = await locks?.acquire(name);
      await lock?.release();
    },
  };
}
