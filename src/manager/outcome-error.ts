import {
  LockContendedError,
  NotAdoptableError,
  OverloadedError,
  QueueFullError,
  QuorumUnreachableError,
  SplitError,
  ValidityExhaustedError,
  WaitTimeoutError,
  type QuorateError,
} from "../api/errors.js";
import {
  ForeignKeyError,
  MixedLayoutError,
  MisconfiguredError,
  PermitsMismatchError,
  type RecordedTtl,
} from "../api/node-errors.js";
import { nodeVotes, type NodeVote } from "../api/tally.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import { LOCK_LAYOUTS } from "../protocol/lock-layout.js";
import { keptMs, type KeyLife } from "../protocol/lease-times.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { RefusedVote, Votes } from "../protocol/operation.js";
import { semaphoreIn } from "../protocol/semaphore-size.js";
import { toleratedCount } from "../protocol/quorum.js";

/** How it was tried. */
export interface Try {
  readonly waitMs: number;
  readonly maxWaiters?: number | undefined;
  readonly waitedMs: number;
  readonly attemptCount: number;
  /** The largest clock margin that a client of the nodes has on record, ms. */
  readonly marginMs: number;
  /** Whether it was to be taken over from another process. */
  readonly isAdoption?: boolean;
  /** Where that is why nodes refused it: what it needs of the longest ttl on record, and what they have. */
  readonly recordedTtl?: () => RecordedTtl | undefined;
  /** Whether the lock manager that asked already holds a lock on one of these names. */
  readonly isHeldHere?: (names: readonly string[]) => boolean;
}

/** What a lock needs of the longest ttl on record, and what a quorum of nodes has, where that is less. */
export function recordedTtlOf(
  nodes: { recordedTtlMs(): number | undefined },
  life: KeyLife,
): RecordedTtl | undefined {
  const recordedMs = nodes.recordedTtlMs();
  const neededMs = Math.ceil(keptMs(life));
  return recordedMs === undefined || neededMs <= recordedMs ? undefined : { neededMs, recordedMs };
}

/** The error for an acquire that failed. Contention and silence are never confused. */
export function errorOf(
  keys: LockKind,
  failure: AttemptFailure,
  nodeNames: readonly string[],
  tried: Try,
): QuorateError {
  const { name } = keys;
  const votes = nodeVotes(nodeNames, failure.votes);
  const foreign = failure.votes.flatMap((vote) =>
    vote?.kind === "refused" && vote.reason === "foreign" ? [vote] : [],
  );
  if (foreign.length > toleratedCount(votes.length)) return foreignError(keys, foreign[0], votes);
  if (areBroken(votes)) {
    return new MisconfiguredError(name, votes, [], { recordedTtl: tried.recordedTtl?.() });
  }
  switch (failure.kind) {
    case "queued":
      return new OverloadedError(name, tried.waitedMs);
    case "exhausted":
      return new ValidityExhaustedError(name, votes);
    case "split":
      return new SplitError(name, votes);
    case "unreachable":
      return new QuorumUnreachableError(name, votes);
    case "refused": {
      if (tried.isAdoption === true) return notAdoptable(name, failure.votes, votes);
      const heldNames = namesIn(keys, failure.votes);
      // Permits are not joined, and who holds permits cannot be joined for another kind of lock.
      const isReentrant =
        keys.permits === undefined && votes.every((vote) => vote.takenPermits === undefined);
      const isHeldHere =
        tried.isHeldHere?.(heldNames.length === 0 ? keys.names : heldNames) ?? false;
      const { waitedMs, attemptCount, marginMs } = tried;
      const of = { waitedMs, attemptCount, isHeldHere, isReentrant, marginMs, heldNames };
      const { waitingCount } = failure;
      if (waitingCount !== undefined) {
        const { maxWaiters = waitingCount } = tried;
        return new QueueFullError(name, votes, of, { waitingCount, maxWaiters });
      }
      return tried.waitMs > 0
        ? new WaitTimeoutError(name, votes, of)
        : new LockContendedError(name, votes, of);
    }
  }
}

/** The error for an extension that too few nodes have confirmed. @param life of the lock, if they had */
export function errorOfExtension(
  name: string,
  votes: Votes,
  nodes: { readonly names: readonly string[]; recordedTtlMs(): number | undefined },
  life: KeyLife,
): QuorateError {
  const shown = nodeVotes(nodes.names, votes);
  if (!areBroken(shown)) return new QuorumUnreachableError(name, shown);
  return new MisconfiguredError(name, shown, [], { recordedTtl: recordedTtlOf(nodes, life) });
}

/** Too many nodes are misconfigured to leave a quorum of the others: asking again does not help. */
function areBroken(votes: readonly NodeVote[]): boolean {
  const count = votes.filter(({ fault }) => fault === "misconfigured").length;
  return count > toleratedCount(votes.length);
}

/** Whoever holds it. */
function notAdoptable(name: string, votes: Votes, shown: readonly NodeVote[]): NotAdoptableError {
  const isTaken = votes.some((vote) => vote?.kind === "refused" && vote.reason === "held");
  return new NotAdoptableError(name, isTaken ? "taken" : "expired", shown);
}

/** Of a set, the names because of which nodes refused it. */
function namesIn({ names, lockKeys }: LockKind, votes: Votes): readonly string[] {
  const keys = votes.flatMap((vote) =>
    vote?.kind === "refused" && vote.reason === "held" ? (vote.key ?? []) : [],
  );
  return names.filter((_, at) => keys.includes(lockKeys[at] ?? ""));
}

function foreignError(
  keys: LockKind,
  vote: RefusedVote | undefined,
  votes: readonly NodeVote[],
): QuorateError {
  const { key = keys.lockKey, label = "unknown" } = vote ?? {};
  const [permits, foundPermits] = [keys.permits?.size.current.count, semaphoreIn(label)?.count];
  if (permits !== undefined && foundPermits !== undefined) {
    return new PermitsMismatchError(keys.name, permits, foundPermits, votes);
  }
  const found = LOCK_LAYOUTS.find((layout) => layout === label);
  if (found === undefined) return new ForeignKeyError(keys.name, key, label, votes);
  return new MixedLayoutError(keys.name, key, { found, expected: keys.layout }, votes);
}
