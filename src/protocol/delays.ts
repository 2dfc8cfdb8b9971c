import { outwaitMs } from "./validity.js";

/**
 * How long a name stays closed although nobody holds it: after a loss (lock-delay), or because its lock
 * was released early (minimum hold).
 *
 * Lock-delay is of Chubby: "The Chubby lock service for loosely-coupled distributed systems", Burrows
 * 2006, section 2.4. There the server begins it when a session fails. Here nobody may be left who could begin
 * it, so it is in every key from the start: the key outlives the validity by the delay.
 */

/** What of a lease decides about its keys. */
export interface KeyLife {
  readonly ttlMs: number;
  readonly driftFactor: number;
  readonly lockDelayMs?: number;
  readonly clockStepMs?: number;
}

/**
 * For how long a name is kept for its holder after each renewal, in ms: the ttl, and the delay as long as it can
 * look on a node's clock. Validity is made of the ttl alone.
 */
export function keptMs({ ttlMs, driftFactor, lockDelayMs = 0 }: KeyLife): number {
  return lockDelayMs === 0 ? ttlMs : ttlMs + outwaitMs(lockDelayMs, driftFactor);
}

/**
 * For how long keys are stored, in ms. A node's clock may gain `clockStepMs` on real time before the name may be
 * had by others; those who have seen that a key is not renewed any more need not wait for that long.
 */
export function keyTtlMs(life: KeyLife): number {
  return keptMs(life) + (life.clockStepMs ?? 0);
}

/**
 * For how long a name must still be kept after an early release, in whole ms of a node's clock; 0 if its
 * minimum is over.
 *
 * @param heldMs since the grant, by a clock that is never ahead of real time
 */
export function keepMs(minHoldMs: number, heldMs: number, driftFactor: number): number {
  const restMs = minHoldMs - heldMs;
  return restMs <= 0 ? 0 : Math.ceil(outwaitMs(restMs, driftFactor));
}
