import type { LockManagerOptions } from "../src/options.js";
import type { LockSettings } from "./scenario.js";

/** The options of a client's lock manager. Anything not set has its default. */
export function managerOptions(settings: LockSettings): LockManagerOptions<boolean> {
  const { ttlMs, maxTtlMs, nodeTimeoutMs, driftFactor, minValidityMs, maxHoldMs } = settings;
  const { renew, fencing, quarantine, bootstrap } = settings;
  const { minDelayMs, maxDelayMs, lockDelayMs, minHoldMs, clockStepMs, layout, fair } = settings;
  return {
    ...{ ttlMs, maxTtlMs, nodeTimeoutMs, driftFactor, minValidityMs, renew, fencing },
    ...{ quarantine, lockDelayMs, minHoldMs, layout, fair },
    clockStepMs: clockStepMs ?? 0,
    maxHoldMs: maxHoldMs ?? undefined,
    bootstrap: bootstrap ? "auto" : "explicit",
    retry: { minDelayMs, maxDelayMs },
    label: "sim",
  };
}
