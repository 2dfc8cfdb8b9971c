import { sharesOf } from "./attempt-failure.js";
import type { Vote, Votes } from "./operation.js";
import { quorumSize } from "./quorum.js";

/**
 * When several clients ask for a name at one moment, each may get some of the nodes and none a quorum: the nodes are
 * *split*. A split is not contention, as nobody holds the name. Each refusal carries the beginning of the ownerId that
 * has the node, so every contender sees who has how many, and all of them find the same one who should get the rest.
 *
 * Safety does not depend on any of this: a lock is what a quorum granted. See docs/internals/protocol.md.
 */

/**
 * - `pending`: more votes may decide
 * - `held`: somebody has a quorum
 * - `unreachable`: no quorum of nodes will answer
 * - `keep`: of those that have nodes we should get the name: keep them, and ask those that refused again
 * - `yield`: another should get it, or nobody can tell who: roll back, pause, and ask all again
 */
export type SplitDecision = "pending" | "held" | "unreachable" | "keep" | "yield";

/**
 * What a contender does: the one with the most nodes keeps them, of equals the one with the lowest ownerId. Somebody
 * who is no single client wins all ties: nobody's turn is taken.
 *
 * If all see the same, exactly one of them keeps its nodes, unless such a somebody has as many as any of them.
 *
 * @param round of one contender, which has not got a quorum: `own` is the beginning of its ownerId; `isWaiting`, whether
 *   silent nodes are still waited for
 */
export function splitDecision({
  votes,
  own,
  isWaiting,
}: {
  readonly votes: Votes;
  readonly own: string;
  readonly isWaiting: boolean;
}): SplitDecision {
  const { grantedCount, refusedCounts, refusedCount, mostCount, silentCount } = sharesOf(votes);
  const quorum = quorumSize(votes.length);
  const answeredCount = grantedCount + refusedCount;
  if (mostCount >= quorum) return "held";
  if (answeredCount + silentCount < quorum) return "unreachable";
  if (answeredCount < quorum || (silentCount > 0 && isWaiting)) return "pending";
  if (grantedCount === 0 || mostCount > grantedCount) return "yield";
  for (const [holder, count] of refusedCounts) {
    if (count === grantedCount && !(holder !== undefined && own < holder)) return "yield";
  }
  return "keep";
}

/** Whether a vote comes from the node itself. */
export function isAnswer(vote: Vote | undefined): boolean {
  return vote !== undefined && vote.kind !== "fault";
}

/**
 * How long a contender waits for silent nodes once a quorum has answered, ms from the send: a node that is much slower
 * than the others is probably down.
 *
 * @param tookMs until a quorum had answered
 */
export function patienceMs(nodeTimeoutMs: number, tookMs: number): number {
  return Math.max(nodeTimeoutMs / 4, 2 * tookMs);
}

/**
 * Shortest time between two asks of one call, ms: where the network is fast, it is not asked at its speed. Only a message
 * from a quorum that it is its turn makes it ask sooner, see {@link keepAtMs}.
 */
export const MIN_ASK_MS = 2;

/** Pauses stop growing at so many times the first. */
const MAX_GROWTH = 4;

/** A round trip as it counts for pauses, ms. */
function tripMsOf({ roundTripMs }: ContestState): number {
  return Math.max(MIN_ASK_MS, roundTripMs);
}

/** By how much a pause has grown: it doubles each time. @param count of pauses, from 1 */
function growthOf(count: number): number {
  return Math.min(MAX_GROWTH, 2 ** (count - 1));
}

/**
 * How many round trips one waits at first that has got no node. An even number of nodes can be halved: then the one that
 * keeps its half must get a node that is given back, before any of the many that have none.
 */
function tripsWithoutNode(nodeCount: number): number {
  return nodeCount % 2 === 0 ? 12 : 3;
}

/** What a contender knows of a contest, over its attempts. Instants are of the lease clock, ms. */
export interface ContestState {
  /** Until then nodes may answer. */
  readonly untilMs: number;
  /** Until then nodes are asked again: see {@link lastAskMs}. */
  readonly askUntilMs: number;
  /** When nodes were asked last. */
  readonly sentMs: number;
  /** As measured, ms. */
  readonly roundTripMs: number;
  /** How often the nodes were split. */
  readonly splitCount: number;
  /** No further ask has time to succeed. */
  readonly isLastAsk: boolean;
}

/**
 * Until when nodes are asked: a quarter of the deadline is left for the answers. With less, a moment in which a machine
 * is busy would look like silence.
 */
export function lastAskMs(untilMs: number, nodeTimeoutMs: number): number {
  return untilMs - nodeTimeoutMs / 4;
}

/** Whether a contender asks all nodes again. */
export function isContestOpen({ askUntilMs, isLastAsk }: ContestState, nowMs: number): boolean {
  return !isLastAsk && nowMs < askUntilMs;
}

/** Whether the same clients refuse that refused when the nodes were asked before. */
export function isSameRefusal(votes: Votes, before: Votes): boolean {
  return votes.every((vote, index) => refuserOf(vote) === refuserOf(before[index]));
}

function refuserOf(vote: Vote | undefined): string | undefined {
  return vote?.kind === "refused" ? (vote.holder ?? "somebody") : undefined;
}

/**
 * When one that keeps its nodes asks those that refused again: the first time immediately, as those that yield are giving
 * them back. Others may get a node first, so it goes on asking as fast as the nodes answer. But whoever refuses it
 * again and again has not yielded: that one is asked for at longer and longer pauses, but while nodes may be asked. All of
 * a process that do so for a name share the pace of one. One that is told that it is its turn asks immediately again.
 *
 * @param keeper `sameCount`: how often in a row the same clients have refused it; `keeperCount`: how many of its process
 *   keep nodes of the name, itself among them; `isCalled`: a quorum has told it that it is its turn
 */
export function keepAtMs(
  contest: ContestState,
  keeper: {
    readonly sameCount: number;
    readonly keeperCount: number;
    readonly isCalled: boolean;
  },
  nowMs: number,
): number {
  const { splitCount, sentMs, askUntilMs } = contest;
  const { sameCount, keeperCount, isCalled } = keeper;
  if (splitCount === 1 || isCalled) return nowMs;
  const pauseMs = sameCount < 2 ? MIN_ASK_MS : tripMsOf(contest) * growthOf(sameCount);
  const atMs = sentMs + pauseMs * keeperCount;
  return Math.max(nowMs, Math.min(atMs, askUntilMs));
}

/**
 * When one that yielded asks all nodes again. After one to two round trips, so that the one that keeps its nodes is
 * asked for before; after more for those without a vote; and later with every further split, as many contend. At
 * the latest one round trip before nodes are asked for the last time, so that it can still keep its nodes once.
 *
 * @param had whether any node granted it, of how many
 * @param unit a random number in [0, 1)
 */
export function askAll(
  contest: ContestState,
  had: { readonly hadVote: boolean; readonly nodeCount: number },
  unit: number,
  nowMs: number,
): { readonly atMs: number; readonly isLastAsk: boolean } {
  const { splitCount, untilMs, askUntilMs } = contest;
  const tripMs = tripMsOf(contest);
  const trips = had.hadVote ? 1 : tripsWithoutNode(had.nodeCount);
  const atMs = nowMs + tripMs * trips * growthOf(splitCount) * (1 + unit);
  const lastMs = Math.min(untilMs - tripMs, askUntilMs) - tripMs;
  return { atMs: Math.min(atMs, Math.max(nowMs, lastMs)), isLastAsk: atMs > lastMs };
}
