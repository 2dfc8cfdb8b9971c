/** How often in a row a lock is passed on at most while other processes wait. */
export const MAX_PASS_ONS = 16;

/** A lock is not passed on later than this after the grant that began the run, ms. */
export const MAX_RUN_MS = 100;

/**
 * A lock that is passed on within one process repeatedly.
 *
 * Other processes would starve next to one whose wait queue never empties. So while they wait, the lock is handed
 * over only to waiters that were queued when the run began, and only to a limited number; then the first process in
 * the nodes' queues is notified. Later waiters have no precedence over other processes: otherwise a wait queue of two
 * that never empties would get the lock 16 times in a row.
 *
 * Whether others wait is known as of the last grant. After a long hold the nodes choose: one more message makes no
 * difference then, and another process may have begun to wait.
 */
export interface Run {
  /** When it began, lease clock, ms: at the last grant that found no other process waiting. */
  readonly startedMs: number;
  /** Other processes were in the queue of a node at the last grant. */
  readonly isWaitedFor: boolean;
  /** The last ticket that this process had issued when it began. */
  readonly lastTicket: number;
  /** Hand-overs since others began to wait. */
  readonly passOnCount: number;
}

/**
 * The run of a lock that was granted just now. While no other process waits, every grant begins a new run.
 *
 * @param before the run of the lock that was passed on to this one, if it was
 * @param lastTicket issued in this process
 */
export function nextRun(
  before: Run | undefined,
  isWaitedFor: boolean,
  nowMs: number,
  lastTicket: number,
): Run {
  if (isWaitedFor && before?.isWaitedFor === true) {
    return { ...before, passOnCount: before.passOnCount + 1 };
  }
  return { startedMs: nowMs, isWaitedFor, lastTicket, passOnCount: before === undefined ? 0 : 1 };
}

/** Whether the lock may be passed on to a waiter with this ticket. */
export function mayPassOn(run: Run, ticket: number, nowMs: number): boolean {
  if (nowMs - run.startedMs >= MAX_RUN_MS) return false;
  return !run.isWaitedFor || (run.passOnCount < MAX_PASS_ONS && ticket <= run.lastTicket);
}
