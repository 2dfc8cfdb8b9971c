import { MARKERS } from "./markers.js";
import type { Vote } from "./operation.js";
import { toleratedCount } from "./verdict.js";

/** Maximum number of permits of a semaphore: a refusal says for each whether it is taken. */
export const MAX_PERMITS = 1_000;

/** The value of the lock key while permits are held, and their number. */
const MARKER = new RegExp(`^${MARKERS.semaphore}(\\d+)$`);

/** The number of permits in the text of a lock key; undefined if it is not a semaphore's. */
export function permitsIn(text: string): number | undefined {
  const permits = MARKER.exec(text)?.[1];
  return permits === undefined ? undefined : Number(permits);
}

/**
 * Number of permits taken according to the text: one hexadecimal digit for every four, the first permit in its lowest
 * bit.
 */
export function takenCount(text: string): number {
  let count = 0;
  for (let permit = 0; permit < 4 * text.length; permit++) if (isTaken(text, permit)) count++;
  return count;
}

function isTaken(text: string, permit: number): boolean {
  const digit = Number.parseInt(text.charAt(permit >> 2), 16);
  return (digit & (1 << (permit & 3))) !== 0;
}

/**
 * The permits that the fewest nodes have granted, as far as the votes on another permit say, if a quorum could grant
 * them: what a refused attempt should ask for next. Empty if there are none.
 */
export function freePermits(votes: readonly (Vote | undefined)[], permits: number): number[] {
  const tolerated = toleratedCount(votes.length);
  const told: string[] = [];
  let lostCount = 0;
  for (const vote of votes) {
    if (vote === undefined || vote.kind === "granted") continue;
    if (vote.kind === "refused" && vote.takenPermits !== undefined) told.push(vote.takenPermits);
    else lostCount++;
  }
  let [fewest, free]: [number, number[]] = [tolerated - lostCount, []];
  for (let permit = 0; permit < permits; permit++) {
    const takenCount = told.filter((text) => isTaken(text, permit)).length;
    if (takenCount > fewest) continue;
    if (takenCount < fewest) [fewest, free] = [takenCount, []];
    free.push(permit);
  }
  return free;
}
