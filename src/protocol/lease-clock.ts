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
