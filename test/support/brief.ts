/**
 * Options of a lock that runs out soon. The nodes are given half of that to answer in: by default it would be 50 ms,
 * which a busy machine may need to get a test its turn.
 */
export function brief(ttlMs: number): { readonly ttlMs: number; readonly nodeTimeoutMs: number } {
  return { ttlMs, nodeTimeoutMs: ttlMs / 2 };
}
