import { callsBetween, type NodeStats } from "../numbers/node-stats.js";

/**
 * A cycle that did not lock is fast. The nodes themselves say whether it did: every cycle sets a
 * key on a quorum at least. One that did not unlock fails by itself: its name is wanted again
 * within a second, long before the ttl is over.
 *
 * @throws Error if they did less than the cycles that the subject reports.
 */
export function checkHonest(
  before: NodeStats,
  after: NodeStats,
  cycleCount: number,
  nodeCount: number,
): void {
  const least = cycleCount * (Math.floor(nodeCount / 2) + 1);
  const calls = callsBetween(before, after, ["set"]);
  if (cycleCount > 0 && calls >= least) return;
  throw new Error(`${cycleCount} cycles, but the nodes executed set ${calls} times`);
}
