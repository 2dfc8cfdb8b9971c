import type { LockManagerOptions } from "../../api/options.js";
import { MAX_TIMER_MS, number, show } from "../../runtime/validate.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../../script/batch-script.js";

/** The settings of redlock, with its meanings and defaults. */
export interface Settings {
  /** What the clocks of client and node may differ in rate, relative. From 0 to 0.5. @defaultValue 0.01 */
  readonly driftFactor: number;
  /** Retries of a failed attempt; -1 for no limit. Higher: waits longer for a held lock. @defaultValue 10 */
  readonly retryCount: number;
  /** Pause between two attempts, ms. @defaultValue 200 */
  readonly retryDelay: number;
  /** Most that is randomly added to, or taken off, the pause, ms. @defaultValue 100 */
  readonly retryJitter: number;
  /**
   * How long before its end the lock of `using` is extended, ms. Longer: more time is left for
   * further tries. At least 100 ms less than the duration. @defaultValue 500
   */
  readonly automaticExtensionThreshold: number;
}

/** Options of the nodes that redlock does not have; see {@link LockManagerOptions}. */
export type NodeSettings = Pick<LockManagerOptions, "maxTtlMs" | "quarantine" | "allowEviction">;

export const DEFAULT_SETTINGS: Settings = Object.freeze({
  driftFactor: 0.01,
  retryCount: 10,
  retryDelay: 200,
  retryJitter: 100,
  automaticExtensionThreshold: 500,
});

const LIMITS: Readonly<Record<keyof Settings, readonly [min: number, max: number]>> = {
  driftFactor: [0, 0.5],
  retryCount: [-1, Number.POSITIVE_INFINITY],
  retryDelay: [0, MAX_TIMER_MS],
  retryJitter: [0, MAX_TIMER_MS],
  automaticExtensionThreshold: [0, MAX_TIMER_MS],
};

/**
 * Merges the given settings with the defaults. As in redlock, a value that is not a number counts as not given.
 *
 * @throws RangeError for a number out of range, naming the setting and the value.
 */
export function mergeSettings(defaults: Settings, given: Partial<Settings> = {}): Settings {
  if (typeof given !== "object") {
    throw new TypeError(`\`settings\` must be an object, got ${show(given)}`);
  }
  const merged = { ...defaults };
  for (const key of Object.keys(LIMITS) as (keyof Settings)[]) {
    const value = given?.[key];
    if (typeof value === "number") merged[key] = number(key, value, ...LIMITS[key]);
  }
  return merged;
}

/** @throws Error or RangeError unless it is an integer number of ms, worded as in redlock */
export function checkDuration(duration: number): void {
  if (Math.floor(duration) !== duration) {
    throw new Error("Duration must be an integer value in milliseconds.");
  }
  if (duration < 1 || !Number.isSafeInteger(duration)) {
    throw new RangeError(`\`duration\` must be from 1 to 2^53 - 1, got ${duration}`);
  }
}

type ScriptName = "acquireScript" | "extendScript" | "releaseScript";

export type ScriptOptions = {
  readonly [name in ScriptName]?: string | ((script: string) => string);
};

export type Scripts = {
  readonly [name in ScriptName]: { readonly value: string; readonly hash: string };
};

/** There is one script for all operations. */
const SCRIPT = Object.freeze({ value: BATCH_SCRIPT, hash: BATCH_SHA });

/** @throws TypeError for a custom script */
export function scriptsFor(given: ScriptOptions): Scripts {
  for (const [name, script] of Object.entries(given)) {
    if (script === undefined) continue;
    throw new TypeError(`\`scripts.${name}\` is not supported, got ${show(script)}`);
  }
  return { acquireScript: SCRIPT, extendScript: SCRIPT, releaseScript: SCRIPT };
}
