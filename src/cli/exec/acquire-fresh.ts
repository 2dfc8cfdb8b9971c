import { setTimeout as sleep } from "node:timers/promises";
import type { Lock, LockManager } from "../../index.js";
import { EXIT, exitCodeOf } from "../exit-codes.js";

/** How long connecting may take, ms, independent of the wait for the lock. */
const CONNECT_MS = 5_000;

/** How often one attempt with split votes is repeated, and the longest pause before it, ms. */
const SPLIT_ATTEMPTS = 5;
const SPLIT_PAUSE_MS = 150;

/**
 * Acquires in a process that has just started: connecting does not count as waiting, or a single attempt would end
 * before a busy machine has connected. And a single attempt fails only because of a holder: of several that try at
 * the same moment, one gets the lock, as with flock.
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
  await connected(locks, Math.max(waitMs, CONNECT_MS), signal);
  if (waitMs > 0) return await acquire(Math.max(1, waitMs - (performance.now() - startMs)));
  for (let attempt = 1; ; attempt++) {
    try {
      return await acquire(0);
    } catch (error) {
      if (exitCodeOf(error) !== EXIT.contended || attempt === SPLIT_ATTEMPTS) throw error;
      const reports = await Promise.all(names.map((name) => locks.query(name)));
      if (reports.some(({ state }) => state === "held")) throw error;
    }
    await sleep(Math.random() * SPLIT_PAUSE_MS, undefined, { signal });
  }
}

/**
 * Until a quorum votes, or all nodes were tried, or it takes too long; the acquire then reports what is wrong. Not
 * `ready()`, which fails because of a single misconfigured node.
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
