/** Decision of one round: pure arithmetic over votes, so that it can be checked exhaustively. */
export type Verdict = "pending" | "won" | "lost";

/** Votes counted so far. What is missing from `nodeCount` has not answered yet. */
export interface Tally {
  readonly nodeCount: number;
  readonly grantedCount: number;
  readonly refusedCount: number;
  readonly faultCount: number;
}

/**
 * Smallest count such that any two sets of that many nodes share one.
 *
 * Derived from the *configured* node count, never from the nodes that happen to be connected:
 * a quorum of what one can see splits a partition into two.
 */
export function quorumSize(nodeCount: number): number {
  return Math.floor(nodeCount / 2) + 1;
}

/**
 * Tells whether a round is decided.
 *
 * A round is lost as soon as a quorum can no longer be reached, not when a quorum has said no:
 * with an even node count, or with a silent node, that second condition may never come true and
 * the caller would wait forever.
 */
export function verdict(tally: Tally): Verdict {
  const quorum = quorumSize(tally.nodeCount);
  if (tally.grantedCount >= quorum) return "won";
  const againstCount = tally.refusedCount + tally.faultCount;
  return againstCount > tally.nodeCount - quorum ? "lost" : "pending";
}

/**
 * True when refusals alone made a quorum impossible: somebody holds the lock (or the name is
 * taken), whatever the silent nodes would have said. Faults never count as contention.
 */
export function isRefusedByQuorum(tally: Tally): boolean {
  return tally.refusedCount > tally.nodeCount - quorumSize(tally.nodeCount);
}

/**
 * True when it is certain whether refusals alone decide ({@link isRefusedByQuorum}), whatever the
 * silent nodes will say. A lost round may be so before its reason is known: with one node down, two
 * refusals of five lose, and only the third tells that the lock is held and not just out of reach.
 */
export function isReasonKnown(tally: Tally): boolean {
  const { nodeCount, grantedCount, refusedCount, faultCount } = tally;
  const silentCount = nodeCount - grantedCount - refusedCount - faultCount;
  const tolerated = nodeCount - quorumSize(nodeCount);
  return refusedCount > tolerated || refusedCount + silentCount <= tolerated;
}
