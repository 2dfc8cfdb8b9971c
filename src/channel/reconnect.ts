const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

/** Short, growing, jittered: a node that is back is wanted back soon, but not by all at once. */
export function reconnectDelayMs(failedCount: number, unit: number): number {
  const capMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failedCount - 1, 10));
  return capMs * (0.5 + unit / 2);
}
