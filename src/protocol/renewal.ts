import { validUntilMs } from "./validity.js";

/**
 * Delay before a failed renewal is retried, in ms: a few retries must fit into what is left of the lease, without
 * retrying in a tight loop near its end.
 */
export function renewalRetryMs(leftMs: number, ttlMs: number, unit: number): number {
  const base = Math.min(ttlMs / 10, leftMs / 4);
  return Math.max(5, base * (0.5 + unit / 2));
}

/** Fraction of the ttl after which a lease is renewed: two more tries fit in before it ends. */
const RENEW_AT = 1 / 3;

/** Remaining fraction of the ttl from which a renewal no longer waits for others. */
const URGENT_AT = 1 / 3;

/**
 * When a lease is renewed, on the clock of `firstSendMs`: a third of the ttl after the first send,
 * or a little earlier. Instants are whole multiples of a power of two, about a hundredth of the ttl,
 * so that leases that began at different times are renewed together, in few messages.
 */
export function renewalAtMs(firstSendMs: number, ttlMs: number): number {
  const tickMs = 2 ** Math.floor(Math.log2(Math.max(1, ttlMs / 100)));
  return Math.max(firstSendMs, Math.floor((firstSendMs + ttlMs * RENEW_AT) / tickMs) * tickMs);
}

/** The settings of a lease that determine when it is renewed. */
export interface RenewalTimes {
  readonly ttlMs: number;
  readonly driftFactor: number;
  readonly renewBeforeMs?: number;
}

/** When a lease of such settings is renewed, on the clock of `firstSendMs`. */
export function renewalDueAtMs(firstSendMs: number, times: RenewalTimes): number {
  const { ttlMs, driftFactor, renewBeforeMs } = times;
  if (renewBeforeMs === undefined) return renewalAtMs(firstSendMs, ttlMs);
  return validUntilMs(firstSendMs, ttlMs, driftFactor) - renewBeforeMs;
}

/** What is left of a lease when its renewal is due, ms: a warning that long before the loss would always fire. */
export function leftAtRenewalMs(validityMs: number, ttlMs: number): number {
  return Math.max(0, validityMs - ttlMs * RENEW_AT);
}

/**
 * Default notice before the end of its validity at which a lock is reported as late, ms: about a third of the ttl.
 */
export function defaultLossNoticeMs(validityMs: number, ttlMs: number): number {
  return Math.floor(leftAtRenewalMs(validityMs, ttlMs) / 2);
}

/** From when a renewal that is not confirmed is late, on the clock of `validUntil`; 0 means never. */
export function renewalLateAtMs(validUntil: number, lossNoticeMs: number): number {
  return lossNoticeMs > 0 ? validUntil - lossNoticeMs : Number.POSITIVE_INFINITY;
}

/** From when a renewal is urgent, on the clock of `validUntil`. */
export function renewalUrgentAtMs(validUntil: number, ttlMs: number): number {
  return validUntil - ttlMs * URGENT_AT;
}
