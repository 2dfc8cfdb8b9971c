import { callsBetween, type NodeStats } from "../numbers/node-stats.js";

/**
 * A cycle that does not lock is fast, so the nodes' statistics are checked: every cycle sets a key on at least a
 * quorum. A cycle that does not unlock fails by itself: its name is acquired again within a second, long before the
 * ttl is over.
 *
 * @throws Error if the nodes did less than the cycles that the subject reports.
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
