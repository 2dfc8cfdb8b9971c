import { NO_QUORUM_CODES } from "../error-codes.js";
import type { Lock } from "../face/lock.js";
import type { Locks } from "../face/locks.js";
import { checkKnown, integer, oneOf, show, string } from "../validate.js";

/** The coordinator of node-cron 4.4 and later: asked by each instance, for each fire, whether it is to run it. */
export interface RunCoordinator {
  /** @param key the name of the task and the time of the fire, the same on all instances */
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
  onComplete(key: string): Promise<void>;
}

/** Options of {@link runCoordinator}. */
export interface RunCoordinatorOptions {
  /**
   * How long the name of a fire stays closed from its grant on, however soon the task is done, ms. An instance that is
   * late by up to a second less (its clock, or its event loop) does not run the task again.
   * @defaultValue 5,000
   */
  readonly minHoldMs?: number | undefined;
  /**
   * Of the lock of a fire, ms. It is renewed for as long as the task runs, however long that is.
   * @defaultValue 10,000, or twice `minHoldMs` if that is more
   */
  readonly ttlMs?: number | undefined;
  /**
   * Put before the key to make the name of the lock.
   * @defaultValue "cron:"
   */
  readonly prefix?: string | undefined;
  /**
   * What to do without a quorum. `"skip"`: the fire is not run (`execution:skipped`, reason `coordinator-error`).
   * `"run"`: it is run by **every** instance that finds no quorum, for tasks that rather run twice than not at all.
   * @defaultValue "skip"
   */
  readonly onUnreachable?: "skip" | "run" | undefined;
  /**
   * Told of a lock that was lost while its task ran. node-cron has no way to tell the task. The name of a fire is
   * not asked for again, so no other instance runs it.
   */
  readonly onLost?: ((key: string, reason: unknown) => void) | undefined;
}

const KNOWN = ["minHoldMs", "ttlMs", "prefix", "onUnreachable", "onLost"];

const DEFAULT_MIN_HOLD_MS = 5_000;
const DEFAULT_TTL_MS = 10_000;

/** Instances that ask at the same moment can split the nodes between them; this is enough to settle it. */
const WAIT_MS = 1_000;

/**
 * Makes each fire of a distributed task of node-cron run on exactly one of all instances.
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
 * @throws TypeError or RangeError for bad arguments. `shouldRun` rejects as `tryAcquire` does, which node-cron
 *   logs and takes for a no.
 */
export function runCoordinator(
  locks: Pick<Locks<boolean>, "tryAcquire">,
  options: RunCoordinatorOptions = {},
): RunCoordinator {
  checkKnown(options, KNOWN);
  const { prefix = "cron:", onUnreachable = "skip", onLost } = options;
  const minHoldMs = integer("minHoldMs", options.minHoldMs ?? DEFAULT_MIN_HOLD_MS, 2 * WAIT_MS);
  const ttlMs = integer("ttlMs", options.ttlMs ?? Math.max(DEFAULT_TTL_MS, 2 * minHoldMs), 10);
  string("prefix", prefix);
  oneOf("onUnreachable", onUnreachable, ["skip", "run"]);
  if (onLost !== undefined && typeof onLost !== "function") {
    throw new TypeError(`\`onLost\` must be a function, got ${show(onLost)}`);
  }
  // Each fire has a name of its own: its token would be no higher than any other's.
  const lockOptions = { minHoldMs, ttlMs, fencing: false, waitMs: WAIT_MS };
  const running = new Map<string, Lock<boolean>>();

  return {
    async shouldRun(key) {
      let lock: Lock<boolean> | null;
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
