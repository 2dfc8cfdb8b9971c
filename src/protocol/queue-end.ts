import type { Votes } from "./operation.js";
import { quorumSize } from "./quorum.js";

/** The acquires in the wait queue of a process, and how many places they may have in a node's queue. */
export interface OwnWaiters {
  readonly count: number;
  readonly placeCount: number;
}

/**
 * How many wait for a name, as far as those can tell who have refused it: the waiters of this process, and each other
 * process that is in the queues of a quorum of nodes as one. So it is never more than there are, except for those that
 * have just gone.
 *
 * @param own of this process
 */
export function waitingCountOf(votes: Votes, own: OwnWaiters): number {
  const counts = votes.flatMap((vote) => (vote?.kind === "refused" && vote.waitingCount) || []);
  const onQuorum = counts.toSorted((a, b) => b - a)[quorumSize(votes.length) - 1] ?? 0;
  return own.count + Math.max(0, onQuorum - own.placeCount);
}
