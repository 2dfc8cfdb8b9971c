/**
 * How many attempts to acquire a process has under way at once.
 *
 * Enough to keep the connections busy, and few enough that what is under way is answered long before
 * its deadline: an attempt that was sent too early only waits elsewhere, and against its own deadline.
 */

/** Also where answers take long: more would hardly be slower, and fewer would serve nobody. */
export const MIN_WINDOW = 64;
export const MAX_WINDOW = 512;
export const START_WINDOW = 256;

/** Of its node deadline: an attempt that took less leaves room for more, one that took more for fewer. */
const [ROOMY, CROWDED] = [1 / 4, 1 / 2];

/**
 * The window after an attempt has ended.
 *
 * @param tookMs undefined if no quorum answered it
 * @returns one more where it ended soon, half as many where it ended late
 */
export function nextWindow(
  window: number,
  tookMs: number | undefined,
  nodeTimeoutMs: number,
): number {
  if (tookMs === undefined || tookMs > nodeTimeoutMs * CROWDED) {
    return Math.max(MIN_WINDOW, Math.floor(window / 2));
  }
  return tookMs <= nodeTimeoutMs * ROOMY ? Math.min(MAX_WINDOW, window + 1) : window;
}
