import { quorumFreeInMs } from "./backoff.js";
import type { Vote, Votes } from "./operation.js";
import type { LossReason } from "./split.js";
import { toleratedCount } from "./quorum.js";

/** How an attempt failed. It has been rolled back on all nodes. */
export interface AttemptFailure {
  /**
   * - `refused`: a quorum of nodes has been given to another, or is kept for somebody
   * - `split`: nodes that were given to several others made a quorum impossible
   * - `unreachable`: faults made a quorum impossible
   * - `exhausted`: a quorum granted, but no usable validity was left, or the keys may even have expired; or it is
   *   outrun
   * - `queued`: it was not admitted before its deadline, and nothing was sent
   */
  readonly kind: LossReason | "exhausted" | "queued";
  readonly votes: Votes;
  /** When a quorum can be free by expiry alone, ms from now; Infinity if unknown. */
  readonly quorumFreeInMs: number;
  /** A quorum granted it in time, and could have stored its token but for higher fences of other attempts. */
  readonly isOutrun: boolean;
  /** The nodes were split between several when it asked: another gets the name, or we do if we ask again. */
  readonly isContested: boolean;
  /** It does not wait for the name because so many do, who are no fewer than it allows. */
  readonly waitingCount?: number;
}

/** @param votes of the round that decided it */
export function failureOf(
  kind: AttemptFailure["kind"],
  votes: Votes,
  isOutrun = false,
  isContested = false,
): AttemptFailure {
  const freeInMs = quorumFreeInMs(votes.map(blockedMs));
  return { kind, votes, quorumFreeInMs: freeInMs, isOutrun, isContested };
}

/** Of an attempt that asked no node. */
export function unaskedFailure(kind: "refused" | "queued", nodeCount: number): AttemptFailure {
  const votes = Array.from({ length: nodeCount }, () => undefined);
  const freeInMs = Number.POSITIVE_INFINITY;
  return { kind, votes, quorumFreeInMs: freeInMs, isOutrun: false, isContested: false };
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

/** Whether it is undecided because of nodes that this process was too late to ask: it says nothing about them. */
export function isOwnDelay(votes: Votes): boolean {
  const lost = votes.filter((vote) => vote !== undefined && vote.kind !== "granted");
  const byNodes = lost.filter((vote) => !isLate(vote)).length;
  return lost.length > byNodes && byNodes <= toleratedCount(votes.length);
}

function isLate(vote: Vote | undefined): boolean {
  return vote?.kind === "fault" && vote.fault === "late";
}

/** How long a node will keep refusing until expiry, as far as its vote says. */
function blockedMs(vote: Vote | undefined): number {
  if (vote?.kind === "granted") return 0;
  return vote?.kind === "refused" && vote.reason === "held"
    ? (vote.overdueInMs ?? vote.remainingMs)
    : Number.POSITIVE_INFINITY;
}
