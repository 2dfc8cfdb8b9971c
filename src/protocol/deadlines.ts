/** How long a connection may take to identify the server, ms: longer than one answer, as it asks several times. */
export function handshakeTimeoutMs(nodeTimeoutMs: number): number {
  return Math.max(1_000, 2 * nodeTimeoutMs);
}

/** After how long a silence a connection is closed and reopened, ms; the node is suspected much sooner. */
export function giveUpAfterMs(nodeTimeoutMs: number): number {
  return Math.max(2_000, 5 * nodeTimeoutMs);
}

/**
 * How long a client waits for all nodes of a new deployment to show up, and may mark the records that it wrote, ms.
 * Clients need not agree on it, but it must be far below the longest ttl: nodes that were all found empty within so
 * short a time have either all lost their data or are new.
 */
export function bootstrapWindowMs(nodeTimeoutMs: number, maxTtlMs: number): number {
  return Math.min(Math.max(2_000, 4 * nodeTimeoutMs), maxTtlMs / 2);
}

/**
 * A timer that fires this late, in ms, means that this process stalled. Answers may have arrived meanwhile and are
 * read in the event loop's next turn, so no node is to blame before that.
 */
export const STALL_MS = 20;
