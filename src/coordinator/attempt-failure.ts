import { quorumFreeInMs } from "../protocol/backoff.js";
import type { Vote, Votes } from "../protocol/operation.js";
import { toleratedCount } from "../protocol/verdict.js";

/** How an attempt failed. It has been rolled back on all nodes. */
export interface AttemptFailure {
  /**
   * - `refused`: nodes that hold another owner's key made a quorum impossible
   * - `unreachable`: faults made a quorum impossible
   * - `exhausted`: a quorum granted, but no usable validity was left, or the keys may even have expired; or it is
   *   outrun
   * - `queued`: it was not admitted before its deadline, and nothing was sent
   */
  readonly kind: "refused" | "unreachable" | "exhausted" | "queued";
  readonly votes: Votes;
  /** When a quorum can be free by expiry alone, ms from now; Infinity if unknown. */
  readonly quorumFreeInMs: number;
  /** A quorum granted it in time, and could have stored its token but for higher fences of other attempts. */
  readonly isOutrun: boolean;
}

/** @param votes of the round that decided it */
export function failureOf(
  kind: AttemptFailure["kind"],
  votes: Votes,
  isOutrun = false,
): AttemptFailure {
  return { kind, votes, quorumFreeInMs: quorumFreeInMs(votes.map(blockedMs)), isOutrun };
}

/** Of an attempt that asked no node. */
export function unaskedFailure(kind: "refused" | "queued", nodeCount: number): AttemptFailure {
  const votes = Array.from({ length: nodeCount }, () => undefined);
  return { kind, votes, quorumFreeInMs: Number.POSITIVE_INFINITY, isOutrun: false };
}

/**
 * Waiting does not help where foreign data or misconfiguration on the nodes leaves no quorum of usable ones.
 */
export function isHopeless(votes: Votes): boolean {
  const hopeless = votes.filter(
    (vote) =>
      (vote?.kind === "refused" && vote.reason === "foreign") ||
      (vote?.kind === "fault" && vote.fault === "misconfigured"),
  );
  return hopeless.length > toleratedCount(votes.length);
}

/** How long a node will keep refusing until expiry, as far as its vote says. */
function blockedMs(vote: Vote | undefined): number {
  if (vote?.kind === "granted") return 0;
  return vote?.kind === "refused" && vote.reason === "held"
    ? (vote.overdueInMs ?? vote.remainingMs)
    : Number.POSITIVE_INFINITY;
}
