/** At most so many hand-overs in a row while other processes wait. */
export const MAX_HAND_OVERS = 16;

/** None later than this after the grant that a run began with, ms. */
export const MAX_RUN_MS = 100;

/**
 * A lock that goes from hand to hand within one process.
 *
 * Others would wait for ever for one whose wait queue never ends. So while they wait it goes only to those
 * who stood in the wait queue when the run began, and to not too many of them; then the turn goes to the
 * first in the queue of the nodes. Those who come meanwhile are no better than who waits elsewhere:
 * else a wait queue of two that never ends would have the lock 16 times in a row.
 *
 * Who waits is known as of the last grant. A holder that takes its time lets the nodes choose: then
 * a message more does not matter, and somebody may have come.
 */
export interface Run {
  /** When it began, lease clock, ms: with the last grant that found nobody waiting elsewhere. */
  readonly startedMs: number;
  /** Other processes stood in the queue of a node at the last grant. */
  readonly isWaitedFor: boolean;
  /** The last ticket that had been given in this process when it began. */
  readonly lastTicket: number;
  /** Hand-overs until now, since others wait. */
  readonly handOverCount: number;
}

/**
 * The run of a lock that was granted just now. While nobody else waits it begins anew with every grant.
 *
 * @param before of the lock that was handed over to this one, if it was
 * @param lastTicket that was given in this process
 */
export function nextRun(
  before: Run | undefined,
  isWaitedFor: boolean,
  nowMs: number,
  lastTicket: number,
): Run {
  if (isWaitedFor && before?.isWaitedFor === true) {
    return { ...before, handOverCount: before.handOverCount + 1 };
  }
  return { startedMs: nowMs, isWaitedFor, lastTicket, handOverCount: before === undefined ? 0 : 1 };
}

/** Whether the lock may go to one with this ticket. */
export function mayHandOver(run: Run, ticket: number, nowMs: number): boolean {
  if (nowMs - run.startedMs >= MAX_RUN_MS) return false;
  return !run.isWaitedFor || (run.handOverCount < MAX_HAND_OVERS && ticket <= run.lastTicket);
}
