import type { GrantedLease } from "../coordinator/observer.js";
import type { Clock } from "../coordinator/ports.js";
import type { LateLock } from "../api/events.js";

/** A lock that was not renewed in time, as it is reported: without its secret. */
export function lateLock(lease: GrantedLease, lateMs: number, clock: Clock): LateLock {
  const { keys, fencingToken, validUntilMs } = lease;
  const { name, names, mode } = keys;
  const remainingMs = Math.max(0, validUntilMs - clock.now());
  return { name, names, mode, fencingToken, lateMs, remainingMs };
}
