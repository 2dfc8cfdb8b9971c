import { nodeCountOf, quorumSize, toleratedCount } from "./quorum.js";
import type { RefusedVote, Vote, Votes } from "./operation.js";
import { isNewerSize, MAX_PERMITS } from "./semaphore-size.js";

/** Numbers of permits as they are sent: `0-2,5`. @param numbers ascending */
export function numbersText(numbers: readonly number[]): string {
  const ranges: string[] = [];
  for (let at = 0; at < numbers.length; at++) {
    const first = numbers[at] as number;
    let last = first;
    while (numbers[at + 1] === last + 1) last = numbers[++at] as number;
    ranges.push(first === last ? String(first) : `${first}-${last}`);
  }
  return ranges.join(",");
}

const RANGE = /^(0|[1-9]\d{0,4})(?:-([1-9]\d{0,4}))?$/;

/** Numbers as a node sends them; undefined if no node would. */
export function numbersIn(text: string): number[] | undefined {
  const numbers: number[] = [];
  for (const range of text.split(",")) {
    const [, from, to] = RANGE.exec(range) ?? [];
    const [first, last] = [Number(from), Number(to ?? from)];
    const isLarger = first > (numbers.at(-1) ?? -1) && (to === undefined || last > first);
    if (!isLarger || last >= MAX_PERMITS) return undefined;
    for (let number = first; number <= last; number++) numbers.push(number);
  }
  return numbers;
}

/**
 * The permits that a refused attempt should ask for next: as far as the votes on others say, a quorum could grant as many
 * of them as are wanted, and the fewest nodes have given them to others. Ascending; empty if there are not enough.
 */
export function freePermits(
  votes: readonly (Vote | undefined)[],
  { count, wanted }: { readonly count: number; readonly wanted: number },
): number[] {
  const told: RefusedVote[] = [];
  let lostCount = 0;
  for (const vote of votes) {
    if (vote === undefined || vote.kind === "granted") continue;
    if (vote.kind === "refused" && vote.freePermits !== undefined) told.push(vote);
    else lostCount++;
  }
  const needed = told.length - (toleratedCount(votes.length) - lostCount);
  if (told.length === 0 || needed > told.length) return [];
  const nodes = new Map<number, number>();
  for (const [index, { freePermits: free = [] }] of told.entries())
    for (const number of free) nodes.set(number, (nodes.get(number) ?? 0) | (1 << index));
  const free = freeTogether(nodes, needed, wanted);
  if (free.length > 0) return free;
  // A node lists the smallest: larger ones may be free there, too.
  for (const [index, { freePermits: listed = [], takenPermits = 0 }] of told.entries()) {
    const last = listed.at(-1);
    if (last === undefined || listed.length + takenPermits >= count) continue;
    for (const [number, mask] of nodes) if (number > last) nodes.set(number, mask | (1 << index));
  }
  return freeTogether(nodes, needed, wanted);
}

/**
 * How many permits could be had at once, as far as the answers to a `size` say: those that a quorum of nodes has free.
 * Undefined if no quorum answered.
 */
export function availableCount(votes: Votes): number | undefined {
  const quorum = quorumSize(votes.length);
  const nodeCounts = new Map<number, number>();
  let [answerCount, newest] = [0, { count: 0, version: 0 }];
  for (const vote of votes) {
    if (vote?.kind !== "granted" || vote.size === undefined) continue;
    answerCount++;
    if (isNewerSize(vote.size, newest)) newest = vote.size;
    for (const number of vote.freePermits ?? [])
      nodeCounts.set(number, (nodeCounts.get(number) ?? 0) + 1);
  }
  if (answerCount < quorum) return undefined;
  let count = 0;
  for (const [number, nodeCount] of nodeCounts)
    if (nodeCount >= quorum && number < newest.count) count++;
  return count;
}

/** Limit for sets of nodes that are looked at: with up to five nodes there are no more. */
const MAX_NODE_SETS = 32;

/**
 * All that are free on some nodes together, as a node grants all or none: on as many nodes as possible, and then the
 * smallest. Ascending; empty if there are not as many as are wanted on so many nodes.
 *
 * @param nodes bit mask of those where it is free, by number
 */
function freeTogether(
  nodes: ReadonlyMap<number, number>,
  needed: number,
  wanted: number,
): number[] {
  const numbers = [...nodes.keys()].toSorted((a, b) => a - b);
  const masks = new Set(nodes.values());
  const sets = new Set(masks);
  if (wanted > 1)
    for (const set of sets)
      for (const mask of masks) if (sets.size < MAX_NODE_SETS) sets.add(set & mask);
  let best: number[] = [];
  let bestCount = Math.max(1, needed);
  for (const set of sets) {
    const nodeCount = nodeCountOf(set);
    if (nodeCount < bestCount) continue;
    const free = numbers.filter((number) => ((nodes.get(number) ?? 0) & set) === set);
    if (free.length < wanted) continue;
    const isSmaller = (free[wanted - 1] as number) < (best[wanted - 1] ?? Infinity);
    if (nodeCount > bestCount || isSmaller) [best, bestCount] = [free, nodeCount];
  }
  return best;
}
