import { fenceAfter, MAX_FENCE } from "../protocol/fencing.js";
import type { NameKeys } from "../protocol/keys.js";
import type { LockKind, Permits } from "../protocol/lock-kind.js";
import { MARKERS } from "../protocol/markers.js";
import type { NameSnapshot, Vote } from "../protocol/operation.js";
import { fixedSize, semaphoreIn } from "../protocol/semaphore-size.js";
import { timestampLayoutOf } from "../protocol/lock-layout.js";
import { exclusiveLock } from "./exclusive.js";
import { ownedLock } from "./owned.js";
import { permitLock } from "./permit.js";
import { sharedLock } from "./shared.js";
import { timestampLock } from "./timestamp.js";

/** A holder of a lock on some node. */
export interface Holder {
  readonly ownerId: string;
  /** The owner by which it is released. */
  readonly keys: LockKind;
}

/** A holder of a lock, with the nodes on which it holds it. */
export interface FoundHolder extends Holder {
  /** Remaining life on each, ms, by node index. */
  readonly remainingMs: ReadonlyMap<number, number>;
}

/** The holders of the name on one node; empty where it is free or only reserved. */
export function holdersIn(
  { holder, remainingMs, coHolders }: NameSnapshot,
  keys: NameKeys,
): readonly (Holder & { readonly remainingMs: number })[] {
  if (holder === undefined || holder.startsWith(MARKERS.turn)) return [];
  const kind = kindOfCoHolders(holder, keys);
  // A value of another client can look like a timestamp: then no owner is stored next to it.
  const isAlone = kind?.id === "timestamp" && coHolders.length === 0;
  if (kind === undefined || isAlone) {
    return [{ ownerId: holder, keys: exclusiveLock(keys), remainingMs }];
  }
  const { permits } = kind;
  if (permits !== undefined) return holdersOfPermits(coHolders, permits);
  return coHolders.map(({ text, remainingMs: leftMs }) => {
    return { ownerId: text, keys: kind, remainingMs: leftMs };
  });
}

/** The permits of one holder have the same end. */
function holdersOfPermits(
  coHolders: NameSnapshot["coHolders"],
  permits: Permits,
): (Holder & { readonly remainingMs: number })[] {
  const found = new Map<string, { readonly remainingMs: number; readonly numbers: number[] }>();
  for (const { text, remainingMs } of coHolders) {
    const colon = text.indexOf(":");
    const ownerId = text.slice(colon + 1);
    const holder = found.get(ownerId) ?? { remainingMs, numbers: [] };
    holder.numbers.push(Number(text.slice(0, colon)));
    found.set(ownerId, holder);
  }
  return [...found].map(([ownerId, { remainingMs, numbers }]) => {
    return { ownerId, keys: permits.at(numbers.toSorted((a, b) => a - b)), remainingMs };
  });
}

/** The kind of the holders next to a lock key; undefined where there are none. */
function kindOfCoHolders(holder: string, keys: NameKeys): LockKind | undefined {
  const size = semaphoreIn(holder);
  if (size !== undefined) return permitLock(keys, fixedSize(size));
  if (holder === MARKERS.shared) return sharedLock(keys);
  if (holder.startsWith(MARKERS.owned)) return ownedLock(keys, holder.slice(MARKERS.owned.length));
  const layout = timestampLayoutOf(holder);
  return layout === undefined ? undefined : timestampLock(keys, layout);
}

/** All holders that were seen, those on the most nodes first. */
export function holdersFound(votes: readonly Vote[], keys: NameKeys): FoundHolder[] {
  const found = new Map<string, Holder & { remainingMs: Map<number, number> }>();
  votes.forEach((vote, index) => {
    if (vote.kind !== "granted" || vote.snapshot === undefined) return;
    for (const { ownerId, keys: ownKeys, remainingMs } of holdersIn(vote.snapshot, keys)) {
      const holder = found.get(ownerId) ?? { ownerId, keys: ownKeys, remainingMs: new Map() };
      holder.remainingMs.set(index, remainingMs);
      found.set(ownerId, holder);
    }
  });
  return [...found.values()].toSorted((a, b) => b.remainingMs.size - a.remainingMs.size);
}

/** Above every counter that was seen; undefined where there was none. */
export function fenceAbove(seen: readonly Vote[]): number | undefined {
  const fences = seen.flatMap((vote) => (vote.kind === "granted" && vote.snapshot?.fence) || []);
  if (fences.length === 0) return undefined;
  return Math.min(fenceAfter(Math.max(...fences)), MAX_FENCE);
}
