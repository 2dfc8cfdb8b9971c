import { MARKERS } from "./markers.js";
import type { Vote } from "./operation.js";
import { toleratedCount } from "./verdict.js";

/** Maximum number of permits of a semaphore. What a step costs a node does not depend on them. */
export const MAX_PERMITS = 10_000;

/** The value of the lock key while permits are held, and their number. */
const MARKER = new RegExp(`^${MARKERS.semaphore}(\\d+)$`);

/** The number of permits in the text of a lock key; undefined if it is not a semaphore's. */
export function permitsIn(text: string): number | undefined {
  const permits = MARKER.exec(text)?.[1];
  return permits === undefined ? undefined : Number(permits);
}

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
export function freePermits(votes: readonly (Vote | undefined)[], wanted: number): number[] {
  const told: ReadonlySet<number>[] = [];
  let lostCount = 0;
  for (const vote of votes) {
    if (vote === undefined || vote.kind === "granted") continue;
    if (vote.kind === "refused" && vote.freePermits !== undefined)
      told.push(new Set(vote.freePermits));
    else lostCount++;
  }
  const needed = told.length - (toleratedCount(votes.length) - lostCount);
  if (told.length === 0 || needed > told.length) return [];
  const countOf = (number: number): number => told.filter((free) => free.has(number)).length;
  const all = [...new Set(told.flatMap((free) => [...free]))].map(
    (number) => [number, countOf(number)] as const,
  );
  const free: number[] = [];
  // All of them on the same nodes: a node grants all or none.
  let nodes = told;
  for (const [number] of all.toSorted(([a, countA], [b, countB]) => countB - countA || a - b)) {
    const left = nodes.filter((each) => each.has(number));
    const isEnough = free.length >= wanted ? left.length === nodes.length : left.length >= needed;
    if (!isEnough || left.length === 0) continue;
    free.push(number);
    nodes = left;
  }
  return free.length < wanted ? [] : free.toSorted((a, b) => a - b);
}
