import type { Vote, Votes } from "./operation.js";
import { quorumFreeInMs, quorumSize, toleratedCount } from "./quorum.js";

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

/**
 * A node has answered after an attempt had given way without it, because the nodes were split. Its answer may be the
 * reason: calls that do not come to ask again are told that, so the failure that they keep is changed.
 */
export function learn(failure: AttemptFailure, index: number, vote: Vote): void {
  const { kind, isContested, votes } = failure;
  if (kind !== "unreachable" || !isContested || votes[index] !== undefined) return;
  const all = votes.with(index, vote);
  Object.assign(failure, { kind: lossReason(all), votes: all });
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
  let hopelessCount = 0;
  for (const vote of votes) {
    if (vote?.kind === "refused" && vote.reason === "foreign") hopelessCount++;
    if (vote?.kind === "fault" && vote.fault === "misconfigured") hopelessCount++;
  }
  return hopelessCount > toleratedCount(votes.length);
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

/** Who has how many nodes, as the votes of one client say. */
export interface Shares {
  readonly grantedCount: number;
  /** Nodes that refused, by the beginning of who has them; undefined is somebody who is no single client. */
  readonly refusedCounts: ReadonlyMap<string | undefined, number>;
  /** Nodes that others have, and the most of them that one has. */
  readonly refusedCount: number;
  readonly mostCount: number;
  readonly silentCount: number;
}

export function sharesOf(votes: Votes): Shares {
  const refusedCounts = new Map<string | undefined, number>();
  let [grantedCount, refusedCount, mostCount, silentCount] = [0, 0, 0, 0];
  for (const vote of votes) {
    if (vote === undefined) silentCount++;
    else if (vote.kind === "granted") grantedCount++;
    else if (vote.kind === "refused") {
      const count = (refusedCounts.get(vote.holder) ?? 0) + 1;
      refusedCounts.set(vote.holder, count);
      refusedCount++;
      mostCount = Math.max(mostCount, count);
    }
  }
  return { grantedCount, refusedCounts, refusedCount, mostCount, silentCount };
}

/**
 * Why the votes of a round are no quorum:
 *
 * - `refused`: one other has a quorum of the nodes, or nodes that somebody has for reasons of their own (readers, a
 *   reservation, foreign data) are one
 * - `split`: several have nodes, and none of them can have a quorum
 * - `unreachable`: too few nodes answered to tell
 */
export type LossReason = "refused" | "split" | "unreachable";

/**
 * Whether others who have or want the name have kept it from us, and no outage: a quorum of nodes has answered, even where
 * a node that is down could say who has a quorum.
 */
export function isContention({
  kind,
  votes,
  isContested,
  isOutrun,
}: Pick<AttemptFailure, "kind" | "votes" | "isContested" | "isOutrun">): boolean {
  if (kind === "refused" || kind === "split" || isContested || isOutrun) return true;
  const { grantedCount, refusedCount } = sharesOf(votes);
  const quorum = quorumSize(votes.length);
  // What a quorum has granted failed for another reason.
  return kind === "unreachable" && grantedCount < quorum && grantedCount + refusedCount >= quorum;
}

/** Of votes that are all there will be. */
export function lossReason(votes: Votes): LossReason {
  const { grantedCount, refusedCount, mostCount } = sharesOf(votes);
  const quorum = quorumSize(votes.length);
  if (mostCount >= quorum) return "refused";
  const answeredCount = grantedCount + refusedCount;
  const unknownCount = votes.length - answeredCount;
  return answeredCount < quorum || mostCount + unknownCount >= quorum ? "unreachable" : "split";
}

/** Whether {@link lossReason} is certain whatever the silent nodes will say. */
export function isLossReasonKnown(votes: Votes): boolean {
  const { grantedCount, refusedCount, mostCount, silentCount } = sharesOf(votes);
  const quorum = quorumSize(votes.length);
  const answeredCount = grantedCount + refusedCount;
  if (silentCount === 0 || mostCount >= quorum) return true;
  if (answeredCount + silentCount < quorum) return true;
  // If all of the silent refuse for the one that has most, it has no quorum.
  const isFree = mostCount + silentCount < quorum;
  const faultCount = votes.length - answeredCount - silentCount;
  const isUnreachable = mostCount + faultCount >= quorum;
  const isSplit = answeredCount >= quorum && mostCount + silentCount + faultCount < quorum;
  return (isFree && isUnreachable) || isSplit;
}

/**
 * How long an attempt that is refused, and stays in the nodes' queues, waits for answers that would not change the
 * verdict, ms: a node that also refused needs no rollback.
 */
export function lingerMs(nodeTimeoutMs: number): number {
  return Math.min(10, nodeTimeoutMs / 10);
}
