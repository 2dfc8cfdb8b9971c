import { outwaitMs } from "./validity.js";

/**
 * How long a name stays closed although no client holds it: after a loss (lock-delay), or because its lock was
 * released early (minimum hold).
 *
 * Lock-delay is of Chubby: "The Chubby lock service for loosely-coupled distributed systems", Burrows, OSDI 2006.
 * There the server begins it when a session fails. Here no process may be left to begin it, so it is in every key
 * from the start: the key outlives the validity by the delay.
 */

/** The settings of a lease that determine the life of its keys. */
export interface KeyLife {
  readonly ttlMs: number;
  readonly driftFactor: number;
  readonly lockDelayMs?: number;
  readonly clockStepMs?: number;
}

/**
 * How long a name is kept for its holder after each renewal, in ms: the ttl, plus the longest delay as a node's clock
 * may measure it. Validity is derived from the ttl alone.
 */
export function keptMs({ ttlMs, driftFactor, lockDelayMs = 0 }: KeyLife): number {
  return lockDelayMs === 0 ? ttlMs : ttlMs + outwaitMs(lockDelayMs, driftFactor);
}

/**
 * The ttl of keys, in ms. It allows for a node's clock to gain `clockStepMs` on real time; clients that have seen
 * that a key is no longer renewed need not wait for that long.
 */
export function keyTtlMs(life: KeyLife): number {
  return keptMs(life) + (life.clockStepMs ?? 0);
}

/**
 * How long a name is kept by keys of that life, in ms, where others do not learn it from the ownerId, which says
 * {@link keptMs}: the lease was extended beyond its ttl. Undefined also without a margin: there they only go by the
 * keys' own expiry.
 */
export function longerKeptMs(life: KeyLife, lifeMs: number): number | undefined {
  const { clockStepMs = 0 } = life;
  const longerMs = lifeMs - clockStepMs;
  return clockStepMs > 0 && longerMs > Math.ceil(keptMs(life)) ? longerMs : undefined;
}

/**
 * How long a name must still be kept after an early release, in whole ms of a node's clock; 0 if its minimum hold has
 * passed.
 *
 * @param heldMs since the grant, by a clock that is never ahead of real time
 */
export function keepMs(minHoldMs: number, heldMs: number, driftFactor: number): number {
  const restMs = minHoldMs - heldMs;
  return restMs <= 0 ? 0 : Math.ceil(outwaitMs(restMs, driftFactor));
}
