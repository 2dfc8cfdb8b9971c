import type { AcquireOutcome } from "../coordinator/pending-acquire.js";
import {
  LockContendedError,
  OverloadedError,
  QuorumUnreachableError,
  ValidityExhaustedError,
  WaitTimeoutError,
  type QuorateError,
} from "../api/errors.js";
import {
  ForeignKeyError,
  MixedLayoutError,
  MisconfiguredError,
  PermitsMismatchError,
} from "../api/node-errors.js";
import { nodeVotes, type NodeVote } from "../api/tally.js";
import { LOCK_LAYOUTS } from "../protocol/lock-layout.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { RefusedVote } from "../protocol/operation.js";
import { permitsIn } from "../protocol/permits.js";
import { toleratedCount } from "../protocol/verdict.js";

type Failure = Extract<
  AcquireOutcome,
  { kind: "refused" | "unreachable" | "exhausted" | "queued" }
>;

/** How it was tried. */
export interface Try {
  readonly waitMs: number;
  readonly waitedMs: number;
  readonly attemptCount: number;
  /** The largest clock margin that a client of the nodes has on record, ms. */
  readonly marginMs: number;
  /** Whether the lock manager that asked already holds a lock on the name. */
  readonly isHeldHere?: () => boolean;
}

/** The error for an acquire that failed. Contention and silence are never confused. */
export function errorOf(
  keys: LockKind,
  failure: Failure,
  nodeNames: readonly string[],
  tried: Try,
): QuorateError {
  const { name } = keys;
  const votes = nodeVotes(nodeNames, failure.votes);
  // Too many nodes to leave a quorum of the others.
  const decisiveCount = toleratedCount(votes.length) + 1;
  const foreign = failure.votes.flatMap((vote) =>
    vote?.kind === "refused" && vote.reason === "foreign" ? [vote] : [],
  );
  if (foreign.length >= decisiveCount) return foreignError(keys, foreign[0], votes);
  const brokenCount = votes.filter(({ fault }) => fault === "misconfigured").length;
  if (brokenCount >= decisiveCount) return new MisconfiguredError(name, votes);
  switch (failure.kind) {
    case "queued":
      return new OverloadedError(name, tried.waitedMs);
    case "exhausted":
      return new ValidityExhaustedError(name, votes);
    case "unreachable":
      return new QuorumUnreachableError(name, votes);
    case "refused": {
      const of = { ...tried, isHeldHere: tried.isHeldHere?.() ?? false };
      return tried.waitMs > 0
        ? new WaitTimeoutError(name, votes, of)
        : new LockContendedError(name, votes, of);
    }
  }
}

function foreignError(
  keys: LockKind,
  vote: RefusedVote | undefined,
  votes: readonly NodeVote[],
): QuorateError {
  const { key = keys.lockKey, label = "unknown" } = vote ?? {};
  const [permits, foundPermits] = [keys.permits?.count, permitsIn(label)];
  if (permits !== undefined && foundPermits !== undefined) {
    return new PermitsMismatchError(keys.name, permits, foundPermits, votes);
  }
  const found = LOCK_LAYOUTS.find((layout) => layout === label);
  if (found === undefined) return new ForeignKeyError(keys.name, key, label, votes);
  return new MixedLayoutError(keys.name, key, { found, expected: keys.layout }, votes);
}
