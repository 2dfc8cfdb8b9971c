/** How often in a row a lock is passed on at most: each time with the next token, of those that its fence stands for. */
export const MAX_PASS_ONS = 16;

/** A lock is not passed on later than this after it was granted by the nodes, ms. */
export const MAX_RUN_MS = 100;

/** Nor after this share of its ttl: by as much the validity of the last one that gets it may be shorter. */
export const MAX_USED = 0.01;

/**
 * A lock that the nodes have granted, and that its process passes on to its own waiters. The nodes do not notice.
 *
 * Other processes would starve next to one whose wait queue never empties. So a lock is passed on only so often, and
 * only to waiters that were queued when it was granted: otherwise a wait queue of two that never empties would get it
 * 16 times in a row. Then the first process in the nodes' queues is granted it. Nor could one that came later have the
 * next token: somebody may have been granted the name since, whatever this process believes.
 */
export interface Run {
  /** When the nodes granted it, lease clock, ms. */
  readonly startedMs: number;
  /** Other processes were in the queue of a node then. */
  readonly isWaitedFor: boolean;
  /** The last ticket that this process had issued then. */
  readonly lastTicket: number;
  /** How often it has been passed on since. */
  readonly passOnCount: number;
}

/** Whether the lock may be passed on to a waiter with this ticket. @param ttlMs of both */
export function mayPassOn(run: Run, ticket: number, ttlMs: number, nowMs: number): boolean {
  const { startedMs, lastTicket, passOnCount } = run;
  if (nowMs - startedMs >= Math.min(MAX_RUN_MS, MAX_USED * ttlMs)) return false;
  return passOnCount < MAX_PASS_ONS && ticket <= lastTicket;
}
