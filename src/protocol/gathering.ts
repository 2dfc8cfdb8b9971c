import type { Votes } from "./operation.js";
import { turnMs } from "./node-queue.js";

/** While a set has some of its names and waits for another, it keeps them for at most this share of the time it has waited. */
const KEPT_SHARE = 1 / 8;

/** The same, while that is no longer than nodes reserve a name. */
const BRIEFLY_KEPT_SHARE = 1 / 2;

/**
 * How long a set that waits keeps the names that it has, from the first of them on, ms. A name that is kept is idle: so
 * no longer than nodes reserve a name, and longer only for a set that has waited for long. Nor does one that has hardly
 * waited keep it for that long: each of many calls that give up soon would, and together they would keep it all the time.
 * It grows with the wait, so in the end it is longer than others hold the missing name, however long that is.
 *
 * Sets that have waited equally long, and keep each other's names, would let them go at the same moment, get what the
 * other had, and so on. So each draws from half of that time to all of it: one has its name still when it gets the other's.
 *
 * @param unit a random number in [0, 1)
 */
export function keptNamesMs(waitedMs: number, nodeTimeoutMs: number, unit: number): number {
  const brieflyMs = Math.min(turnMs(nodeTimeoutMs), BRIEFLY_KEPT_SHARE * waitedMs);
  return Math.max(brieflyMs, KEPT_SHARE * waitedMs) * (0.5 + unit / 2);
}

/** The lock key for which most of the nodes refuse a set; undefined if none says that one is held. */
export function missingKey(votes: Votes): string | undefined {
  const counts = new Map<string, number>();
  let missing: string | undefined;
  for (const vote of votes) {
    if (vote?.kind !== "refused" || vote.reason !== "held" || vote.key === undefined) continue;
    const count = (counts.get(vote.key) ?? 0) + 1;
    counts.set(vote.key, count);
    if (missing === undefined || count > (counts.get(missing) ?? 0)) missing = vote.key;
  }
  return missing;
}
