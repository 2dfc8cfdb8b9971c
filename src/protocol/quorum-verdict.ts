import type { Votes } from "./operation.js";

/** Decision of one round: pure arithmetic over votes, so that it can be checked exhaustively. */
export type Verdict = "pending" | "won" | "lost";

/** Votes so far, counted. Nodes missing from the count have not answered yet. */
export interface Tally {
  readonly nodeCount: number;
  readonly grantedCount: number;
  readonly refusedCount: number;
  readonly faultCount: number;
}

export function tallyOf(votes: Votes): Tally {
  let grantedCount = 0;
  let refusedCount = 0;
  let faultCount = 0;
  for (const vote of votes) {
    if (vote?.kind === "granted") grantedCount++;
    else if (vote?.kind === "refused") refusedCount++;
    else if (vote !== undefined) faultCount++;
  }
  return { nodeCount: votes.length, grantedCount, refusedCount, faultCount };
}

/**
 * Smallest count for which any two sets of that many nodes share one.
 *
 * Derived from the *configured* node count, never from the nodes that happen to be connected: a quorum of the visible
 * nodes would split under a partition.
 */
export function quorumSize(nodeCount: number): number {
  return Math.floor(nodeCount / 2) + 1;
}

/** How many nodes may be against, or silent, while the others are still a quorum. */
export function toleratedCount(nodeCount: number): number {
  return nodeCount - quorumSize(nodeCount);
}

/**
 * Tells whether a round is decided.
 *
 * A round is lost as soon as a quorum can no longer be reached, not when a quorum has refused: with an even node
 * count, or with a silent node, the latter may never happen and the caller would wait forever.
 */
export function verdict(tally: Tally): Verdict {
  const quorum = quorumSize(tally.nodeCount);
  if (tally.grantedCount >= quorum) return "won";
  const againstCount = tally.refusedCount + tally.faultCount;
  return againstCount > tally.nodeCount - quorum ? "lost" : "pending";
}

/**
 * True when refusals alone made a quorum impossible: another client holds the lock (or the name is taken), whatever
 * the silent nodes would have said. Faults never count as contention.
 */
export function isRefusedByQuorum(tally: Tally): boolean {
  return tally.refusedCount > toleratedCount(tally.nodeCount);
}

/**
 * True when it is certain whether refusals alone decide ({@link isRefusedByQuorum}), whatever the silent nodes will
 * say. A lost round may not know its reason yet: with one node down, two refusals of five lose it, and only the third
 * shows that the lock is held and not just unreachable.
 */
export function isReasonKnown(tally: Tally): boolean {
  const { nodeCount, grantedCount, refusedCount, faultCount } = tally;
  const silentCount = nodeCount - grantedCount - refusedCount - faultCount;
  const tolerated = toleratedCount(nodeCount);
  return refusedCount > tolerated || refusedCount + silentCount <= tolerated;
}
