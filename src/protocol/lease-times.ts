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
  return validUntil - nowMs > Math.max(minHoldMs, LOSS_LEAD_MS);
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
 * What is left of a minimum hold, in ms of real time; 0 if it has passed.
 *
 * @param heldMs since the grant, by the client's clock, which may be faster than real time by the factor
 */
export function minHoldLeftMs(minHoldMs: number, heldMs: number, driftFactor: number): number {
  return Math.max(0, minHoldMs - heldMs / (1 + driftFactor));
}

/**
 * How long a name must still be kept for what is left of its minimum hold, in whole ms of a node's clock; 0 if it has
 * passed.
 */
export function keepMs(leftMs: number, driftFactor: number): number {
  return leftMs <= 0 ? 0 : Math.ceil(outwaitMs(leftMs, driftFactor));
}

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
 * When a lease is renewed, on the clock of `firstSendMs`: by default a third of the ttl after the first send,
 * or a little earlier. Instants are whole multiples of a power of two, about a hundredth of the ttl,
 * so that leases that began at different times are renewed together, in few messages.
 */
export function renewalAtMs(
  firstSendMs: number,
  {
    ttlMs,
    driftFactor,
    renewBeforeMs,
  }: { readonly ttlMs: number; readonly driftFactor: number; readonly renewBeforeMs?: number },
): number {
  if (renewBeforeMs !== undefined)
    return validUntilMs(firstSendMs, ttlMs, driftFactor) - renewBeforeMs;
  const tickMs = 2 ** Math.floor(Math.log2(Math.max(1, ttlMs / 100)));
  return Math.max(firstSendMs, Math.floor((firstSendMs + ttlMs * RENEW_AT) / tickMs) * tickMs);
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

/**
 * The clock that leases are measured on: monotonic time plus every growth of (wall - monotonic).
 *
 * Monotonic time stands still while a machine is suspended, and Redis goes on expiring; wall time
 * alone jumps back. Adding up the *growth* of their difference reading by reading, and never
 * subtracting, errs only towards ending a lease early. Comparing two totals would not do: a step
 * back of the wall clock would hide a later suspend.
 */
export interface LeaseClockState {
  /** Smallest (wall - monotonic) since the last addition, in ms. */
  readonly gapMs: number;
  /** What has been added to monotonic time so far, in ms. */
  readonly addedMs: number;
}

/** Growth up to this much, in ms, is the resolution of the two clocks and not a jump. */
export const CLOCK_BAND_MS = 3;

/**
 * Delay for a Node.js timer, ms, so that it is late and never early: Node.js counts whole ms from the start of the
 * current one.
 */
export function armedMs(delayMs: number): number {
  return Math.ceil(delayMs) + 1;
}

/** The state before the first reading. */
export function startLeaseClock(monotonicMs: number, wallMs: number): LeaseClockState {
  return { gapMs: wallMs - monotonicMs, addedMs: 0 };
}

/** Takes one reading of both clocks. The lease time is `monotonicMs + addedMs`. */
export function readLeaseClock(
  state: LeaseClockState,
  monotonicMs: number,
  wallMs: number,
): LeaseClockState {
  const gapMs = wallMs - monotonicMs;
  const growthMs = gapMs - state.gapMs;
  if (growthMs > CLOCK_BAND_MS) return { gapMs, addedMs: state.addedMs + growthMs };
  if (growthMs < 0) return { gapMs, addedMs: state.addedMs };
  return state;
}
