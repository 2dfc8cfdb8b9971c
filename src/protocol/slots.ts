import { MARKERS } from "./markers.js";
import type { Vote } from "./operation.js";
import { quorumSize } from "./verdict.js";

/** Most permits of one semaphore: a refusal says of each whether it is taken. */
export const MAX_PERMITS = 1_000;

/** What the lock key holds while permits are held, and how many there are. */
const MARKER = new RegExp(`^${MARKERS.semaphore}(\\d+)$`);

/** How many permits the text of a lock key tells of; undefined if it is no semaphore's. */
export function permitsIn(text: string): number | undefined {
  const permits = MARKER.exec(text)?.[1];
  return permits === undefined ? undefined : Number(permits);
}

/** How many slots the text says are taken: a hexadecimal digit for every four, the first is its lowest bit. */
export function takenCount(text: string): number {
  let count = 0;
  for (let slot = 0; slot < 4 * text.length; slot++) if (isTaken(text, slot)) count++;
  return count;
}

function isTaken(text: string, slot: number): boolean {
  const digit = Number.parseInt(text.charAt(slot >> 2), 16);
  return (digit & (1 << (slot & 3))) !== 0;
}

/**
 * The slots that fewest nodes have given away, as far as the votes on another one tell, if a quorum
 * could grant them: what an attempt that was refused should ask for next. Empty if there are none.
 */
export function freeSlots(votes: readonly (Vote | undefined)[], permits: number): number[] {
  const tolerated = votes.length - quorumSize(votes.length);
  const told: string[] = [];
  let lostCount = 0;
  for (const vote of votes) {
    if (vote === undefined || vote.kind === "granted") continue;
    if (vote.kind === "refused" && vote.takenSlots !== undefined) told.push(vote.takenSlots);
    else lostCount++;
  }
  let [fewest, free]: [number, number[]] = [tolerated - lostCount, []];
  for (let slot = 0; slot < permits; slot++) {
    const takenCount = told.filter((text) => isTaken(text, slot)).length;
    if (takenCount > fewest) continue;
    if (takenCount < fewest) [fewest, free] = [takenCount, []];
    free.push(slot);
  }
  return free;
}
