/**
 * Delay before a renewal that failed is tried again, in ms: a few tries must fit into what is left
 * of the lease, and a lease that is nearly over must not be spun on.
 */
export function renewalRetryMs(leftMs: number, ttlMs: number, unit: number): number {
  const base = Math.min(ttlMs / 10, leftMs / 4);
  return Math.max(5, base * (0.5 + unit / 2));
}

/** Part of the ttl after which a lease is renewed: two more tries fit in before it ends. */
const RENEW_AT = 1 / 3;

/** What is left of a lease, as a part of its ttl, when its renewal waits for no others any more. */
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

/** What is left of a lease when its renewal is due, ms: notice of a loss that long before it would always be given. */
export function leftAtRenewalMs(validityMs: number, ttlMs: number): number {
  return Math.max(0, validityMs - ttlMs * RENEW_AT);
}

/** How long before the end of its validity a lock is reported as late, unless its option says, ms: about a third of the ttl. */
export function defaultLossNoticeMs(validityMs: number, ttlMs: number): number {
  return Math.floor(leftAtRenewalMs(validityMs, ttlMs) / 2);
}

/** From when on a renewal that is not confirmed is late, on the clock of `validUntil`; 0 means never. */
export function renewalLateAtMs(validUntil: number, lossNoticeMs: number): number {
  return lossNoticeMs > 0 ? validUntil - lossNoticeMs : Number.POSITIVE_INFINITY;
}

/** From when on a renewal is urgent, on the clock of `validUntil`. */
export function renewalUrgentAtMs(validUntil: number, ttlMs: number): number {
  return validUntil - ttlMs * URGENT_AT;
}
