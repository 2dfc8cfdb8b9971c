/**
 * The timing rule of the lease.
 *
 * A key that a node stored for `ttlMs` after `firstSendMs` lives, measured on the holder's clock, at least `ttlMs /
 * (1 + relative rate error)`. Counting from before the first send means that every delay (queue, network, server)
 * shortens the validity and never lengthens it.
 *
 * Source: "Distributed locks with Redis" (Redlock), section on the validity time.
 */

/** Fixed part of the drift: Redis rounds expiry to 1 ms, and the client's timers may do so too. */
export const DRIFT_FLOOR_MS = 2;

/** What is deducted from a lease for clocks that run at different rates, in ms. */
export function driftMs(ttlMs: number, driftFactor: number): number {
  return Math.ceil(ttlMs * driftFactor) + DRIFT_FLOOR_MS;
}

/** The instant (lease clock, ms) from which a lease no longer counts as held. */
export function validUntilMs(firstSendMs: number, ttlMs: number, driftFactor: number): number {
  return firstSendMs + ttlMs - driftMs(ttlMs, driftFactor);
}

/**
 * Whether a lease is (still) valid. The interval is half open: at `validUntil` itself it has ended. `minLeftMs`
 * requires more than a mere remainder.
 */
export function isValid(nowMs: number, validUntil: number, minLeftMs = 0): boolean {
  return validUntil - nowMs > minLeftMs;
}

/**
 * How long before the end of validity a timer reports the loss, in ms: a timer is late by its rounding (2 ms) and by
 * what the event loop is doing, and a holder must not be notified late.
 */
export const LOSS_LEAD_MS = 5;

/**
 * When a timer reports the loss, unless the lease is extended first; by the clock the lease may be valid slightly
 * longer.
 */
export function lossAtMs(validUntil: number): number {
  return validUntil - LOSS_LEAD_MS;
}

/**
 * Whether a lease may be granted: with less than {@link LOSS_LEAD_MS} left, its loss would be reported immediately,
 * and perhaps too late; and the remaining life of its keys must cover the minimum hold.
 */
export function isUsable(nowMs: number, validUntil: number, minHoldMs = 0): boolean {
  return isValid(nowMs, validUntil, Math.max(minHoldMs, LOSS_LEAD_MS));
}

/** How long an attempt may take, ms, before a lease of such settings is no longer usable. */
export function usableForMs({
  ttlMs,
  driftFactor,
  minHoldMs = 0,
}: {
  readonly ttlMs: number;
  readonly driftFactor: number;
  readonly minHoldMs?: number;
}): number {
  return validUntilMs(0, ttlMs, driftFactor) - Math.max(minHoldMs, LOSS_LEAD_MS);
}

/**
 * Remaining life, in whole milliseconds, for keys created later (heal, backfill). They must not outlive the keys of
 * the round that proved the lock. 0 means: create nothing.
 */
export function remainingTtlMs(nowMs: number, keysEndMs: number): number {
  return Math.max(0, Math.floor(keysEndMs - nowMs));
}

/**
 * How long to wait on our clock, in ms, for what must not end *early* on a node's clock: a key that a node may keep
 * for `durationMs`, a quarantine.
 */
export function outwaitMs(durationMs: number, driftFactor: number): number {
  return durationMs + driftMs(durationMs, driftFactor);
}
