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
