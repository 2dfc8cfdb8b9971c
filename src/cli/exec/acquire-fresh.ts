import { setTimeout as sleep } from "node:timers/promises";
import type { Lock, LockManager } from "../../index.js";
import { MAX_TIMER_MS } from "../../runtime/validate.js";
import { EXIT, exitCodeOf } from "../exit-codes.js";
import { areSeen, untilNodes } from "../until-nodes.js";

/** Connecting may take at least this long, however short the wait for the lock is, ms. */
const CONNECT_MS = 5_000;

/** How often a single attempt is made if votes are split, and the longest pause in between, ms. */
const SPLIT_ATTEMPTS = 5;
const SPLIT_PAUSE_MS = 150;

/**
 * Acquires in a process that has just started. Connecting has a time limit of its own: otherwise a single attempt would
 * end before a busy machine has connected. A single attempt fails only because of a holder: if several processes try at
 * the same moment, one of them gets the lock, as with flock.
 */
export async function acquireFresh(
  locks: LockManager,
  names: readonly string[],
  waitMs: number,
  signal: AbortSignal,
  acquire: (waitMs: number | undefined) => Promise<Lock>,
): Promise<Lock> {
  if (waitMs === Number.POSITIVE_INFINITY) return await acquire(waitMs);
  const startMs = performance.now();
  const connectMs = Math.min(Math.max(waitMs, CONNECT_MS), MAX_TIMER_MS);
  // Not `ready()`, which goes on waiting for nodes that are down. The acquire then reports what is wrong.
  await untilNodes(locks, () => locks.isReady || areSeen(locks), connectMs, signal);
  if (waitMs > 0) return await acquire(Math.max(1, waitMs - (performance.now() - startMs)));
  for (let attempt = 1; ; attempt++) {
    try {
      return await acquire(0);
    } catch (error) {
      if (exitCodeOf(error) !== EXIT.contended || attempt === SPLIT_ATTEMPTS) throw error;
      const reports = await Promise.all(names.map((name) => locks.inspect(name)));
      if (reports.some(({ state }) => state === "held")) throw error;
    }
    await sleep(Math.random() * SPLIT_PAUSE_MS, undefined, { signal });
  }
}
