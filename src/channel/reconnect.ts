const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;

/** Short, growing, jittered: reconnect soon after a node is back, but not all clients at once. */
export function reconnectDelayMs(failedCount: number, unit: number): number {
  const capMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failedCount - 1, 10));
  return capMs * (0.5 + unit / 2);
}
