import type { Votes } from "../protocol/operation.js";

/** Node sets are bit masks by node index; {@link MAX_NODE_COUNT} keeps them in a small integer. */
export const MAX_NODE_COUNT = 30;

/**
 * The nodes to which a release is owed after an acquire round: all but those that certainly hold
 * nothing of ours, because they refused or were never sent anything. Silence is owed a release.
 */
export function nodesThatMayHold(votes: Votes): number {
  let mask = 0;
  votes.forEach((vote, index) => {
    const holdsNothing = vote?.kind === "refused" || (vote?.kind === "fault" && !vote.sent);
    if (!holdsNothing) mask |= 1 << index;
  });
  return mask;
}
