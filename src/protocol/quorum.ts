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

/**
 * When a quorum of nodes can be free by expiry alone, in ms.
 *
 * @param blockedMs one entry per node: 0 if it would grant, the holder's remaining PTTL if it refused, Infinity if
 *   nothing is known.
 */
export function quorumFreeInMs(blockedMs: readonly number[]): number {
  const quorum = quorumSize(blockedMs.length);
  let freeInMs = Number.POSITIVE_INFINITY;
  // Asked for every name that is waited for, so no list is sorted each time.
  for (const eachMs of blockedMs) {
    if (eachMs >= freeInMs) continue;
    let freeCount = 0;
    for (const otherMs of blockedMs) if (otherMs <= eachMs) freeCount++;
    if (freeCount >= quorum) freeInMs = eachMs;
  }
  return freeInMs;
}

/** Node sets are bit masks by node index; {@link MAX_NODE_COUNT} keeps them in a small integer. */
export const MAX_NODE_COUNT = 30;

export const ALL_NODES = (1 << MAX_NODE_COUNT) - 1;

/**
 * The nodes that need a release after an acquire round: all but those that certainly hold nothing of
 * ours, because they refused or were never sent anything. A silent node may hold a key.
 */
export function nodesThatMayHold(votes: Votes): number {
  let mask = 0;
  for (const [index, vote] of votes.entries()) {
    const holdsNothing = vote?.kind === "refused" || (vote?.kind === "fault" && !vote.sent);
    if (!holdsNothing) mask |= 1 << index;
  }
  return mask;
}

export function nodesThatRefused(votes: Votes): number {
  let mask = 0;
  for (const [index, vote] of votes.entries()) {
    if (vote?.kind === "refused") mask |= 1 << index;
  }
  return mask;
}

export function nodesThatGranted(votes: Votes): number {
  let mask = 0;
  for (const [index, vote] of votes.entries()) {
    if (vote?.kind === "granted") mask |= 1 << index;
  }
  return mask;
}

/** Of those that were asked. */
export function nodesThatDidNotGrant(votes: Votes): number {
  return ((1 << votes.length) - 1) & ~nodesThatGranted(votes);
}

/** How many nodes are in a set. */
export function nodeCountOf(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}

/**
 * Who holds a name, as a quorum of nodes says: null for nobody, undefined where no quorum says the same.
 *
 * @param said by node index: the holders on it, none where it is free; undefined where that is unknown
 */
export function agreedHolder(
  said: readonly (readonly string[] | undefined)[],
): string | null | undefined {
  const quorum = quorumSize(said.length);
  const counts = new Map<string, number>();
  let freeCount = 0;
  for (const holders of said) {
    if (holders?.length === 0) freeCount++;
    for (const holder of holders ?? []) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  }
  for (const [holder, count] of counts) if (count >= quorum) return holder;
  return freeCount >= quorum ? null : undefined;
}

/**
 * A node, to somebody who waits for a quorum:
 *
 * - `votes`: it votes
 * - `settling`: it will vote without intervention, it is only a matter of time
 * - `away`: it does not answer, and may come back
 * - `misconfigured`: it answers, but must not vote until somebody changes something
 * - `listedTwice`: the same, and what has to be changed is the list: it is the same server as another node
 */
export type NodeReadiness = "votes" | "settling" | "away" | "misconfigured" | "listedTwice";

/** Votes that somebody waits for: a quorum, or with `all` those of every node. */
export function neededCount(nodeCount: number, all: boolean): number {
  return all ? nodeCount : quorumSize(nodeCount);
}

/**
 * Whether the nodes are ready, will not be, or have to be waited for:
 *
 * - `ready`: enough nodes vote
 * - `wait`: they do not yet
 * - `misconfigured`: so many nodes must not vote that the others are too few
 * - `listedTwice`: the list of nodes is wrong
 *
 * Their order does not matter, nor does who was seen first: a misconfigured minority is for a warning, as locks do
 * without it. A list with a server in it twice is an error even then. It tolerates fewer failures than it shows.
 */
export function readiness(
  nodes: readonly NodeReadiness[],
  all: boolean,
): "ready" | "wait" | "misconfigured" | "listedTwice" {
  const needed = neededCount(nodes.length, all);
  if (nodes.includes("listedTwice")) return "listedTwice";
  if (nodes.length - countOf(nodes, "misconfigured") < needed) return "misconfigured";
  return countOf(nodes, "votes") >= needed ? "ready" : "wait";
}

/** Whether enough nodes vote, or will do so without intervention. */
export function willBeReady(nodes: readonly NodeReadiness[], all: boolean): boolean {
  const count = countOf(nodes, "votes") + countOf(nodes, "settling");
  return count >= neededCount(nodes.length, all);
}

function countOf(nodes: readonly NodeReadiness[], which: NodeReadiness): number {
  return nodes.filter((node) => node === which).length;
}
