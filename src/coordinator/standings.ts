import { companionKey, type NameKeys } from "../protocol/keys.js";
import { sharedKeys } from "../protocol/layout.js";
import { MARKERS } from "../protocol/markers.js";
import type { Sighting, Vote } from "../protocol/operation.js";
import { OWNER_PREFIX, ownedKeys } from "../protocol/owned.js";
import { timestampKeys, timestampLayoutOf } from "../protocol/timestamps.js";
import { permitsIn, slotKeys } from "../protocol/slots.js";

/** One owner that stands on some node. */
export interface Standing {
  readonly ownerId: string;
  /** By which it is released. */
  readonly keys: NameKeys;
}

/** One owner with the nodes on which it stands. */
export interface FoundOwner extends Standing {
  /** What is left of it on each, ms, by node index. */
  readonly remainingMs: ReadonlyMap<number, number>;
}

/** The keys of a name with all that may stand beside its lock key. */
export function inspectedKeys(keys: NameKeys): NameKeys {
  const beside = ["readers", "slots", "holds", "stamp"].map((kind) =>
    companionKey(kind, keys.lockKey),
  );
  return { ...keys, layout: { kind: "shared", keys: beside, args: [] } };
}

/** Whose the name is on one node; empty where it is free, or only somebody's turn. */
export function ownersIn(
  { holder, remainingMs, beside }: Sighting,
  keys: NameKeys,
): readonly (Standing & { readonly remainingMs: number })[] {
  if (holder === undefined || holder.startsWith(MARKERS.turn)) return [];
  const permits = permitsIn(holder);
  if (permits !== undefined) {
    return beside.map(({ text, remainingMs: leftMs }) => {
      const colon = text.indexOf(":");
      const slot = Number(text.slice(0, colon));
      const ownerId = text.slice(colon + 1);
      return { ownerId, keys: slotKeys(keys, permits, slot), remainingMs: leftMs };
    });
  }
  const ownKeys = keysOfBeside(holder, keys);
  // What another client has put there can look like a timestamp: then nobody stands beside it.
  const isAlone = ownKeys?.layout?.kind === "timestamp" && beside.length === 0;
  if (ownKeys === undefined || isAlone) return [{ ownerId: holder, keys, remainingMs }];
  return beside.map(({ text, remainingMs: leftMs }) => {
    return { ownerId: text, keys: ownKeys, remainingMs: leftMs };
  });
}

/** The keys by which those are released that stand beside a lock key; undefined where nobody does. */
function keysOfBeside(holder: string, keys: NameKeys): NameKeys | undefined {
  if (holder === MARKERS.shared) return sharedKeys(keys);
  if (holder.startsWith(OWNER_PREFIX)) return ownedKeys(keys, holder.slice(OWNER_PREFIX.length));
  const layout = timestampLayoutOf(holder);
  return layout === undefined ? undefined : timestampKeys(keys, layout);
}

/** All owners that were seen, those on most nodes first. */
export function ownersFound(votes: readonly Vote[], keys: NameKeys): FoundOwner[] {
  const found = new Map<string, Standing & { remainingMs: Map<number, number> }>();
  votes.forEach((vote, index) => {
    if (vote.kind !== "granted" || vote.sighting === undefined) return;
    for (const { ownerId, keys: ownKeys, remainingMs } of ownersIn(vote.sighting, keys)) {
      const owner = found.get(ownerId) ?? { ownerId, keys: ownKeys, remainingMs: new Map() };
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
