import type { LateLock } from "../api/events.js";
import type { GrantedLease } from "../coordinator/observer.js";
import type { Clock } from "../coordinator/ports.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { LockMessage } from "./messages.js";

/** Identifies the lock. */
export function lockMessage({ name, names, mode }: LockKind): LockMessage {
  return { name, names, mode };
}

/** A lock that was not renewed in time, as it is reported: without its secret. */
export function lateLock(lease: GrantedLease, lateMs: number, clock: Clock): LateLock {
  const { keys, fencingToken, validUntilMs } = lease;
  const remainingMs = Math.max(0, validUntilMs - clock.now());
  return { ...lockMessage(keys), fencingToken, lateMs, remainingMs };
}
