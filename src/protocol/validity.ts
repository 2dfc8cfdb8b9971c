/**
 * The timing rule of the lease.
 *
 * A key that a node stored for `ttlMs` after `firstSendMs` lives, measured on the holder's clock, at
 * least `ttlMs / (1 + relative rate error)`. Counting from before the first send makes every delay
 * (queue, network, server) shorten the holder's belief and never lengthen it.
 *
 * Source: "Distributed locks with Redis" (Redlock), section on the validity time.
 */

/** Fixed part of the drift: Redis rounds expiry to 1 ms, and so may the client's timers. */
export const DRIFT_FLOOR_MS = 2;

/** What is taken off a lease for clocks that run at different rates, in ms. */
export function driftMs(ttlMs: number, driftFactor: number): number {
  return Math.ceil(ttlMs * driftFactor) + DRIFT_FLOOR_MS;
}

/** The instant (lease clock, ms) at which belief in a lease must end. */
export function validUntilMs(firstSendMs: number, ttlMs: number, driftFactor: number): number {
  return firstSendMs + ttlMs - driftMs(ttlMs, driftFactor);
}

/**
 * Whether a lease may (still) be believed in. The interval is half open: at `validUntil` itself
 * belief has ended. `minValidityMs` asks for more than a mere remainder.
 */
export function isValid(nowMs: number, validUntil: number, minValidityMs = 0): boolean {
  return validUntil - nowMs > minValidityMs;
}

/**
 * How long before the end of validity a timer ends belief, in ms: a timer is late by what it is rounded
 * up to (2 ms) and by what the event loop is doing, and a holder must not be told late.
 */
export const LOSS_LEAD_MS = 5;

/** When a timer ends belief, unless the lease is extended before; by the clock belief may last a little longer. */
export function lossAtMs(validUntil: number): number {
  return validUntil - LOSS_LEAD_MS;
}

/**
 * Whether a lease may be granted: with less than {@link LOSS_LEAD_MS} left its loss would be told at once, and
 * by a timer perhaps too late.
 */
export function isUsable(nowMs: number, validUntil: number, minValidityMs: number): boolean {
  return isValid(nowMs, validUntil, Math.max(minValidityMs, LOSS_LEAD_MS));
}

/**
 * Whole milliseconds that the keys of a lease have left, for keys created later (heal, backfill).
 * They must not outlive the keys of the round that proved the lock. 0 means: create nothing.
 */
export function remainingTtlMs(nowMs: number, firstSendMs: number, ttlMs: number): number {
  return Math.max(0, Math.floor(firstSendMs + ttlMs - nowMs));
}

/**
 * How long something that must not end *early* on a node's clock has to be waited for on ours,
 * in ms: a key that a node may keep for `durationMs`, a quarantine.
 */
export function outwaitMs(durationMs: number, driftFactor: number): number {
  return durationMs + driftMs(durationMs, driftFactor);
}
