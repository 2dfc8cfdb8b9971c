import { setTimeout as sleep } from "node:timers/promises";
import type { Lock, LockManager } from "../../index.js";
import { MAX_TIMER_MS } from "../../runtime/validate.js";
import { EXIT, exitCodeOf } from "../exit-codes.js";

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
  await connected(locks, Math.min(Math.max(waitMs, CONNECT_MS), MAX_TIMER_MS), signal);
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

/**
 * Waits until a quorum votes, or all nodes were tried, or the timeout is over. The acquire then reports what is wrong.
 * Not `ready()`, which goes on waiting for nodes that are down.
 */
async function connected(
  locks: LockManager,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const isSettled = (): boolean =>
    locks.isReady || locks.nodes.every(({ state }) => state !== "connecting");
  if (isSettled()) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      locks.off("node", look);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const look = (): void => {
      if (isSettled()) done();
    };
    const timer = setTimeout(done, timeoutMs);
    locks.on("node", look);
    signal.addEventListener("abort", done, { once: true });
  });
}
