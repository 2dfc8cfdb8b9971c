import { callsBetween, type NodeStats } from "../node-stats.js";

/**
 * A cycle that did not lock and unlock is fast. The nodes themselves say whether they did: every
 * cycle sets a key on a quorum at least, and deletes it there.
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
  for (const command of ["set", "del"]) {
    const calls = callsBetween(before, after, [command]);
    if (cycleCount > 0 && calls >= least) continue;
    throw new Error(`${cycleCount} cycles, but the nodes executed ${command} ${calls} times`);
  }
}
