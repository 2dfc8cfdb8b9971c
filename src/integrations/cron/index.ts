import { NO_QUORUM_CODES } from "../../api/error-codes.js";
import type { Lock } from "../../api/lock.js";
import type { Locks } from "../../api/locks.js";
import { checkAhead } from "../../manager/lock-manager.js";
import {
  checkKnown,
  checkLocks,
  integer,
  oneOf,
  show,
  wellFormed,
} from "../../runtime/validate.js";

/** The coordinator interface of node-cron 4.4 and later. For each execution, node-cron calls it on every instance. */
export interface RunCoordinator {
  /**
   * Whether this instance runs the execution.
   *
   * @param key name of the task and scheduled time of the execution, the same on all instances
   * @param ttlMs the lease that node-cron proposes, ms; not used
   */
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
  /** Called when the task has ended: releases the lock of the execution. */
  onComplete(key: string): Promise<void>;
}

/** Options of {@link runCoordinator}. */
export interface RunCoordinatorOptions {
  /**
   * How long the name of an execution stays locked after the grant, even if the task ends earlier, ms; at least 2_000.
   * An instance that is late (its clock or its event loop) by up to this minus one second does not run the task again.
   * @defaultValue 5_000
   */
  readonly minHoldMs?: number | undefined;
  /**
   * Life of the lock without renewal, ms; more than `minHoldMs` and drift, at most the `maxTtlMs` of the lock manager.
   * The lock is renewed for as long as the task runs.
   * @defaultValue 10_000, or `minHoldMs` plus 5_000 if that is larger
   */
  readonly ttlMs?: number | undefined;
  /**
   * Prefix of the lock's name; the rest is the key of the execution.
   * @defaultValue "cron:"
   */
  readonly prefix?: string | undefined;
  /**
   * What to do without a quorum. `"skip"`: the task does not run (`execution:skipped`, reason `coordinator-error`).
   * `"run"`: it runs on **every** instance that finds no quorum. Use this for tasks that should rather run twice than
   * not at all.
   * @defaultValue "skip"
   */
  readonly onUnreachable?: "skip" | "run" | undefined;
  /**
   * Called when a lock is lost while its task runs; `reason` is the LockLostError. node-cron has no way to notify the
   * task. No other instance runs this execution: each one asks only once. What it throws is an uncaught exception, as
   * with every listener.
   */
  readonly onLost?: ((key: string, reason: unknown) => void) | undefined;
}

const KNOWN = ["minHoldMs", "ttlMs", "prefix", "onUnreachable", "onLost"];

const DEFAULT_MIN_HOLD_MS = 5_000;
const DEFAULT_TTL_MS = 10_000;

/** How long a lease lasts beyond its minimum, ms: drift is deducted from it, and the time until it is granted. */
const MARGIN_MS = 5_000;

/** Instances that ask at the same moment can split the votes; this is long enough to settle it. */
const WAIT_MS = 1_000;

/**
 * Makes each execution of a distributed node-cron task run on only one of all instances.
 *
 * @example
 * ```ts
 * cron.schedule("0 3 * * *", backup, {
 *   name: "backup", // the same on all instances
 *   distributed: true,
 *   runCoordinator: runCoordinator(locks),
 * });
 * ```
 *
 * The lease that node-cron proposes (`distributedLease`) is not used: the lock is renewed instead.
 *
 * @throws TypeError or RangeError for bad arguments, naming the option and the value. `shouldRun` rejects as
 *   `tryAcquire` does; node-cron logs this, and does not run the task.
 */
export function runCoordinator(
  locks: Pick<Locks, "tryAcquire">,
  options: RunCoordinatorOptions = {},
): RunCoordinator {
  checkLocks(locks, "tryAcquire");
  checkKnown(options, KNOWN);
  const { prefix = "cron:", onUnreachable = "skip", onLost } = options;
  const minHoldMs = integer("minHoldMs", options.minHoldMs ?? DEFAULT_MIN_HOLD_MS, 2 * WAIT_MS);
  const defaultTtlMs = Math.max(DEFAULT_TTL_MS, minHoldMs + MARGIN_MS);
  const ttlMs = integer("ttlMs", options.ttlMs ?? defaultTtlMs, minHoldMs + 1);
  wellFormed("prefix", prefix);
  oneOf("onUnreachable", onUnreachable, ["skip", "run"]);
  if (onLost !== undefined && typeof onLost !== "function") {
    throw new TypeError(`\`onLost\` must be a function, got ${show(onLost)}`);
  }
  const lockOptions = { minHoldMs, ttlMs, waitMs: WAIT_MS };
  // Otherwise each execution would be refused, and no instance run it.
  checkAhead(locks, `${prefix}task`, lockOptions);
  const running = new Map<string, Lock>();

  return {
    async shouldRun(key) {
      let lock: Lock | null;
      try {
        lock = await locks.tryAcquire(prefix + key, lockOptions);
      } catch (error) {
        const { code = "" } = error as { readonly code?: string };
        if (onUnreachable === "run" && NO_QUORUM_CODES.includes(code)) return true;
        throw error;
      }
      if (lock === null) return false;
      running.set(key, lock);
      const { signal } = lock;
      if (onLost)
        signal.addEventListener("abort", () => onLost(key, signal.reason), { once: true });
      return true;
    },
    async onComplete(key) {
      const lock = running.get(key);
      running.delete(key);
      await lock?.release();
    },
  };
}
