import type { LockManagerOptions, Quarantine } from "../src/api/options.js";
import type { LockSettings } from "./scenario.js";

/** The options of a client's lock manager. Anything not set has its default. */
export function managerOptions(settings: LockSettings): LockManagerOptions {
  const { ttlMs, nodeTimeoutMs, driftFactor, maxHoldMs, takesRecordedTtl = false } = settings;
  const maxTtlMs = takesRecordedTtl ? undefined : settings.maxTtlMs;
  const { renew, quarantine, bootstrap } = settings;
  const { minDelayMs, maxDelayMs, lockDelayMs, minHoldMs, clockStepMs, layout, fair } = settings;
  return {
    ...{ ttlMs, maxTtlMs, nodeTimeoutMs, driftFactor, renew },
    ...{ lockDelayMs, minHoldMs, layout, fair },
    clockStepMs: clockStepMs ?? 0,
    maxHoldMs: maxHoldMs ?? undefined,
    quarantine: quarantineOf({ quarantine, bootstrap }),
    retry: { minDelayMs, maxDelayMs },
    label: "sim",
  };
}

/** The option of a manager, or of a drop-in. */
export function quarantineOf({
  quarantine,
  bootstrap,
}: Pick<LockSettings, "quarantine" | "bootstrap">): Quarantine {
  if (!quarantine) return "off";
  return bootstrap ? "auto" : "always";
}
