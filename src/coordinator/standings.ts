import type { Sighting, Vote } from "../protocol/operation.js";
import type { Standing } from "./revoke.js";

/** One owner with the nodes on which it stands. */
export interface FoundOwner extends Standing {
  /** What is left of it on each, ms, by node index. */
  readonly remainingMs: ReadonlyMap<number, number>;
}

/** Whose the name is on one node; empty where it is free, or only somebody's turn. */
export function ownersIn({
  holder,
  remainingMs,
  readers,
}: Sighting): readonly (Standing & { readonly remainingMs: number })[] {
  if (holder === undefined || holder.startsWith("turn:")) return [];
  if (holder !== "shared:") return [{ ownerId: holder, isReader: false, remainingMs }];
  return readers.map((reader) => ({ ...reader, isReader: true }));
}

/** All owners that were seen, those on most nodes first. */
export function ownersFound(votes: readonly Vote[]): FoundOwner[] {
  const found = new Map<string, Standing & { remainingMs: Map<number, number> }>();
  votes.forEach((vote, index) => {
    if (vote.kind !== "granted" || vote.sighting === undefined) return;
    for (const { ownerId, isReader, remainingMs } of ownersIn(vote.sighting)) {
      const owner = found.get(ownerId) ?? { ownerId, isReader, remainingMs: new Map() };
      owner.remainingMs.set(index, remainingMs);
      found.set(ownerId, owner);
    }
  });
  return [...found.values()].toSorted((a, b) => b.remainingMs.size - a.remainingMs.size);
}

/** Above every counter that was seen; undefined where there is none. */
export function fenceAbove(seen: readonly Vote[]): number | undefined {
  const fences = seen.flatMap((vote) => (vote.kind === "granted" && vote.sighting?.fence) || []);
  if (fences.length === 0) return undefined;
  return Math.min(Math.max(...fences) + 1, Number.MAX_SAFE_INTEGER);
}
