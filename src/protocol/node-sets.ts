import type { Votes } from "./operation.js";

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

/** Nodes that a rollback must reach: including those without a key of ours that may hold our place in the queue. */
export function nodesThatDidNotRefuse(votes: Votes): number {
  return nodesOf(votes) & ~nodesThatRefused(votes);
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
  return nodesOf(votes) & ~nodesThatGranted(votes);
}

function nodesOf(votes: Votes): number {
  return (1 << votes.length) - 1;
}

/** How many nodes are in a set. */
export function nodeCountOf(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}
