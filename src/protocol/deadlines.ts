/** How long a connection may take to say who is at its other end, ms: longer than one answer, as it asks several times. */
export function handshakeTimeoutMs(nodeTimeoutMs: number): number {
  return Math.max(1_000, 2 * nodeTimeoutMs);
}

/** After how long a silence a connection is given up and opened anew, ms; the node is suspected much sooner. */
export function giveUpAfterMs(nodeTimeoutMs: number): number {
  return Math.max(2_000, 5 * nodeTimeoutMs);
}

/**
 * How long a client waits for all nodes of a new deployment to show up, and for how long it may mark the records that
 * it wrote, ms. Clients need not agree on it, but it must be far below the longest ttl: nodes all of which were found
 * empty so shortly after one another have all forgotten, or are new.
 */
export function bootstrapWindowMs(nodeTimeoutMs: number, maxTtlMs: number): number {
  return Math.min(Math.max(2_000, 4 * nodeTimeoutMs), maxTtlMs / 2);
}

/**
 * A timer that fires this late, in ms, means that this process stalled. Answers may have arrived meanwhile and are
 * read in the event loop's next turn, so no node is to blame before that.
 */
export const STALL_MS = 20;

/**
 * How long after it was sent an attempt that is refused, and goes on waiting in the queues of the nodes, waits for
 * the answers that would not change that, ms: a node that refused, too, needs no rollback.
 */
export function lingerMs(nodeTimeoutMs: number): number {
  return Math.min(10, nodeTimeoutMs / 10);
}
