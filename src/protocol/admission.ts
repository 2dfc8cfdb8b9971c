/**
 * How many attempts to acquire a process has under way at once.
 *
 * Enough to keep the connections busy, and few enough that what is under way is answered long before
 * its deadline: an attempt that is sent too early only waits elsewhere, and against its own deadline.
 */
export interface WindowBounds {
  readonly min: number;
  readonly start: number;
  readonly max: number;
}

/** Below the least of them more attempts are hardly slower, and above the most they are hardly faster. */
export const WINDOW_BOUNDS: WindowBounds = { min: 64, start: 256, max: 512 };

/** Parts of its node deadline: an attempt that took less leaves room for more, one that took more for fewer. */
const [ROOMY, CROWDED] = [1 / 4, 1 / 2];

/**
 * The window after an attempt has ended: one more if that was soon, half as many if it was late.
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
