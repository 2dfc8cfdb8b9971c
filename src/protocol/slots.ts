import { companionKey, type NameKeys } from "./keys.js";
import { MARKERS } from "./markers.js";
import type { Vote } from "./operation.js";
import { quorumSize } from "./verdict.js";

/** Most permits of one semaphore: a refusal says of each whether it is taken. */
export const MAX_PERMITS = 1_000;

/** What the lock key holds while permits are held, and how many there are. */
const MARKER = new RegExp(`^${MARKERS.semaphore}(\\d+)$`);

/** The permits of a semaphore, and which of them is meant. */
export interface SlotKeys {
  readonly permits: number;
  /** From 0; undefined where no permit has been chosen yet. */
  readonly slot: number | undefined;
}

/**
 * The keys of a name for the permits of a semaphore. Each permit is a mutex of its own, a *slot*: to
 * count holders on each node by itself would let more in than there are permits, because each node
 * may count others.
 *
 * @param slot from 0, of an attempt and of the lock it leads to; undefined for who waits for any
 */
export function slotKeys(keys: NameKeys, permits: number, slot?: number): NameKeys {
  const slotsKey = companionKey("slots", keys.lockKey);
  const args = [String(permits), slot === undefined ? "" : String(slot)];
  return { ...keys, layout: { kind: "slot", keys: [slotsKey], args } };
}

/** Undefined for a lock that is no permit. */
export function slotsOf({ layout }: NameKeys): SlotKeys | undefined {
  if (layout?.kind !== "slot") return undefined;
  const [permits, slot = ""] = layout.args;
  return { permits: Number(permits), slot: slot === "" ? undefined : Number(slot) };
}

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
