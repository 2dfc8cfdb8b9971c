/**
 * How many attempts to acquire a process has in flight at once.
 *
 * Enough to keep the connections busy, and few enough that answers arrive long before their deadlines: an attempt
 * that is sent too early waits at the nodes instead of here, against its own deadline.
 */
export interface WindowBounds {
  readonly min: number;
  readonly start: number;
  readonly max: number;
}

/** With fewer than the minimum, attempts are hardly faster; with more than the maximum, throughput hardly grows. */
export const WINDOW_BOUNDS: WindowBounds = { min: 64, start: 256, max: 512 };

/**
 * How urgently an attempt enters.
 *
 * - `atOnce`: it is part of a release, which never waits
 * - `called`: nodes have reserved the name for it, or keep the lock that it adopts, for a short time
 * - `plain`: first come, first served
 * - `patient`: like `plain`, but it has failed before and will retry
 */
export type Urgency = "atOnce" | "called" | "plain" | "patient";

/** Fractions of the node deadline: a faster attempt enlarges the window, a slower one shrinks it. */
const [ROOMY, CROWDED] = [1 / 4, 1 / 2];

/**
 * The window after an attempt has ended: one more if it was fast, half as many if it was slow.
 *
 * @param tookMs undefined if no quorum answered it
 */
export function nextWindow(
  window: number,
  tookMs: number | undefined,
  nodeTimeoutMs: number,
  { min, max }: WindowBounds,
): number {
  if (tookMs === undefined || tookMs > nodeTimeoutMs * CROWDED) {
    return Math.max(min, Math.floor(window / 2));
  }
  return tookMs <= nodeTimeoutMs * ROOMY ? Math.min(max, window + 1) : window;
}
