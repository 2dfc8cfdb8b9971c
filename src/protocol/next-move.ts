import { isHopeless, unaskedFailure, type AttemptFailure } from "./attempt-failure.js";
import { backoffMs, turnWaitMs } from "./backoff.js";

/** How long an acquire keeps trying, and how it pauses between its attempts. */
export interface WaitSettings {
  /** How long to keep trying, ms; 0 for one attempt. */
  readonly waitMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Never ahead of earlier waiters of this process. */
  readonly fair: boolean;
}

/** What an acquire knows when it decides what to do next. Instants are of the lease clock, ms. */
export interface Known {
  readonly wait: WaitSettings;
  readonly deadlineMs: number;
  /** How long an attempt may take at most, ms. */
  readonly nodeTimeoutMs: number;
  readonly nodeCount: number;
  /** Attempts so far. */
  readonly attemptCount: number;
  /** An attempt is under way, perhaps not admitted yet. */
  readonly isUnderWay: boolean;
  /** It cannot be granted any more: what the nodes still answer only says why it fails. */
  readonly isLost: boolean;
  /** Of the last attempt: it only asked for the lock that its owner may hold. */
  readonly isJoiner: boolean;
  /** It is for a named owner, who may already hold the lock. */
  readonly isOwned: boolean;
  /** It is in the wait queue of its process. */
  readonly isQueued: boolean;
  /** It is first in the wait queue of its process. */
  readonly isFirst: boolean;
  /** A reader of this process holds the lock: it may ask although it is not first. */
  readonly isLetIn: boolean;
  /** A quorum of nodes can notify this process. */
  readonly isHeard: boolean;
  /** Its place in the nodes' queues can be kept without attempts. */
  readonly isRefreshed: boolean;
  /** Its place is being kept so: the refreshes say when to ask. */
  readonly isInPlace: boolean;
  /** A quorum of nodes has notified it since its last attempt. */
  readonly isItsTurn: boolean;
  /** Some nodes have, and it has shortened its sleep for that. */
  readonly isTurnSeen: boolean;
  /** Notifications have not made it ask too often. */
  readonly mayAskInTurn: boolean;
  /** When it is woken, and when it meant to ask: it may be woken earlier. */
  readonly wakeAtMs: number;
  readonly askAtMs: number;
  /** How it or another in its wait queue last failed, as far as that says something about what it asks for. */
  readonly knownFailure: AttemptFailure | undefined;
  /** How its own last attempt failed that asked for the lock itself. */
  readonly lastFailure: AttemptFailure | undefined;
  /** The last time that it was told that somebody holds the name. */
  readonly refusal: AttemptFailure | undefined;
  /** A random number in [0, 1). Called only for a move that depends on it, at most once. */
  random(): number;
}

/** What has happened to an acquire. */
export type Happened =
  /**
   * It was requested.
   *
   * @param isWaitedFor others of its process wait for the name
   * @param isContended they do, or the name was contended lately
   */
  | { readonly what: "begun"; readonly isWaitedFor: boolean; readonly isContended: boolean }
  /** It has entered the wait queue. @param failure of the attempt before, if there was one */
  | { readonly what: "entered"; readonly failure: AttemptFailure | undefined }
  /** @param isWithinReach as another permit is free, or others were only faster */
  | { readonly what: "failed"; readonly failure: AttemptFailure; readonly isWithinReach: boolean }
  /** It has let others pass in its wait queue, if it had to. */
  | { readonly what: "queued"; readonly failure: AttemptFailure }
  /** Its owner does not hold the lock. */
  | { readonly what: "joinFailed"; readonly failure: AttemptFailure }
  /** It was not admitted in time. */
  | { readonly what: "unasked"; readonly failure: AttemptFailure }
  /** A request of its process steals the name. @param isAsking nodes have been asked and have not decided yet */
  | { readonly what: "stolen"; readonly isAsking: boolean }
  /** Its time has come, or its deadline. */
  | { readonly what: "due" }
  /** Everybody ahead of it is gone. @param isHeldHere because the one ahead got the lock */
  | { readonly what: "first"; readonly isHeldHere: boolean }
  /** A reader of this process got the lock, and only readers are ahead. */
  | { readonly what: "reader" }
  /** Nodes have notified it. */
  | { readonly what: "turn"; readonly isQuorum: boolean }
  /** From now on notifications can arrive. */
  | { readonly what: "heard" }
  /** Its place was refreshed. @param quorumFreeInMs undefined if no quorum answered */
  | { readonly what: "looked"; readonly quorumFreeInMs: number | undefined };

/** Any move but the last gives up an attempt that is under way. */
export type NextMove =
  /**
   * Now. As a newcomer, only where its owner holds the lock, or in its turn: from the nodes' queues if it has a place.
   *
   * @param isCalled because it was notified: that is limited
   */
  | {
      readonly move: "ask";
      readonly as: "newcomer" | "joiner" | "waiter";
      readonly isCalled?: boolean;
    }
  /**
   * Then, or at the deadline if that is earlier.
   *
   * @param isLate even slightly after the deadline
   * @param leavesPlace only an attempt says more about its place
   */
  | {
      readonly move: "askAt";
      readonly atMs: number;
      readonly isCalled?: boolean;
      readonly isLate?: boolean;
      readonly leavesPlace?: boolean;
    }
  /** For a message, in its place in the nodes' queues, until then or its deadline; or until refreshes say so. */
  | { readonly move: "wait"; readonly untilMs: number }
  /** In the wait queue, which it enters if it is not in it. */
  | { readonly move: "queue"; readonly failure: AttemptFailure | undefined }
  | { readonly move: "giveUp"; readonly failure: AttemptFailure }
  /** What it does already. */
  | { readonly move: "goOn" };

const GO_ON: NextMove = { move: "goOn" };
const FIND_OUT: NextMove = { move: "ask", as: "newcomer" };
const JOIN: NextMove = { move: "ask", as: "joiner" };
const ASK: NextMove = { move: "ask", as: "waiter" };

/**
 * What an acquire does next; the only place where that is decided.
 *
 * The first attempt is sent immediately, unless others already wait in this process. After that it is in the wait queue.
 * The last attempt begins no later than the deadline, or one node deadline later if the last one found the name
 * within reach.
 *
 * Only the first waiter of a process contends, and the readers behind it once one has been granted. It sleeps until
 * the nodes notify it, and polls now and then because a message may be lost. The others sleep. One for a named owner
 * also checks whether that owner holds the lock by now: the holder may be waiting for it, so it must not wait for
 * those ahead of it.
 */
export function nextMove(happened: Happened, known: Known, nowMs: number): NextMove {
  switch (happened.what) {
    case "begun":
      return onBegun(happened, known);
    case "entered":
      return onEntered(happened.failure, known, nowMs);
    case "failed":
      return onFailed(happened, known, nowMs);
    case "unasked":
      return { move: "giveUp", failure: lastKnown(known) ?? happened.failure };
    case "stolen":
      return onStolen(happened.isAsking, known, nowMs);
    case "queued":
      return known.isFirst
        ? first(happened.failure, known, nowMs)
        : behind(happened.failure, known, nowMs);
    case "joinFailed":
      return onJoinFailed(happened.failure, known, nowMs);
    case "due":
      return onDue(known, nowMs);
    case "looked":
      return onLooked(happened.quorumFreeInMs, known, nowMs);
    case "first":
    case "reader":
    case "turn":
    case "heard":
      if (!known.isUnderWay) return onSign(happened, known, nowMs);
      // The attempt finds out, unless it waits for no more than the reason why it failed.
      return isCalledAnew(happened, known, nowMs) ? askInTurn(nowMs) : GO_ON;
  }
}

function onBegun(
  { isWaitedFor, isContended }: Extract<Happened, { what: "begun" }>,
  { wait: { waitMs, fair }, isOwned, nodeCount }: Known,
): NextMove {
  if (!isContended && !fair) return FIND_OUT;
  if (waitMs > 0) return { move: "queue", failure: undefined };
  if (!isWaitedFor || !fair) return FIND_OUT;
  // Its owner may already hold the lock.
  return isOwned ? JOIN : { move: "giveUp", failure: unaskedFailure("refused", nodeCount) };
}

function onFailed(
  { failure, isWithinReach }: Extract<Happened, { what: "failed" }>,
  known: Known,
  nowMs: number,
): NextMove {
  const { deadlineMs, isQueued } = known;
  const [{ askAgainInMs, votes }, isInTime] = [failure, nowMs < deadlineMs];
  // Such as another permit: it is asked for immediately, even slightly after the deadline. Contenders that have split
  // the votes pause, or they would split them again.
  const pauseMs = isWithinReach && hadVote(failure) ? soonMs(known) : 0;
  if (isWithinReach && nowMs + pauseMs < deadlineMs + known.nodeTimeoutMs) {
    return pauseMs > 0 ? { move: "askAt", atMs: nowMs + pauseMs, isLate: true } : again(known);
  }
  if (!isInTime && askAgainInMs !== undefined && !isQueued && !isHopeless(votes)) {
    return { move: "askAt", atMs: nowMs + askAgainInMs, isLate: true };
  }
  if (!isInTime || isHopeless(votes)) {
    return { move: "giveUp", failure: (failure.kind === "split" && known.refusal) || failure };
  }
  return { move: "queue", failure };
}

/** After that request, if it has time left. */
function onStolen(isAsking: boolean, known: Known, nowMs: number): NextMove {
  const hasTime = nowMs < known.deadlineMs;
  if (hasTime) return { move: "askAt", atMs: nowMs };
  // Nothing of it could be granted, not yet or no more, and this attempt is its only one.
  if (!isAsking) return GO_ON;
  const failure = lastKnown(known) ?? unaskedFailure("refused", known.nodeCount);
  return { move: "giveUp", failure };
}

/** What it asked last, if that may bring something else now. */
function again({ isQueued, isJoiner }: Known): NextMove {
  if (isQueued) return ASK;
  return isJoiner ? JOIN : FIND_OUT;
}

function onEntered(failure: AttemptFailure | undefined, known: Known, nowMs: number): NextMove {
  if (!known.isFirst) return behind(failure, known, nowMs);
  if (failure === undefined) return ASK;
  // The attempt that enters the nodes' queues. Contenders that have split the votes pause, or they would split them
  // again.
  if (!known.isHeard) return after(failure, known, nowMs);
  return { move: "askAt", atMs: nowMs + (hadVote(failure) ? soonMs(known) : 0) };
}

/** A joiner's refusal says nothing to the others, nor theirs to it. */
function onJoinFailed(failure: AttemptFailure, known: Known, nowMs: number): NextMove {
  if (nowMs >= known.deadlineMs) return { move: "giveUp", failure };
  return known.isFirst ? { move: "askAt", atMs: nowMs } : behind(failure, known, nowMs);
}

function onDue(known: Known, nowMs: number): NextMove {
  if (!known.isQueued) return again(known);
  const { askAtMs, deadlineMs } = known;
  const isInTime = nowMs < deadlineMs;
  // The nodes have said meanwhile that the name is still held.
  if (known.isInPlace && nowMs < askAtMs && isInTime) return { move: "askAt", atMs: askAtMs };
  if (known.isFirst || known.isLetIn) return ASK;
  if (known.isOwned && isInTime) return JOIN;
  // Its deadline has passed. Asking out of turn would bring an answer that is known.
  const failure = known.knownFailure;
  if (failure !== undefined) return { move: "giveUp", failure };
  return known.wait.fair
    ? { move: "giveUp", failure: unaskedFailure("refused", known.nodeCount) }
    : FIND_OUT;
}

function onLooked(quorumFreeInMs: number | undefined, known: Known, nowMs: number): NextMove {
  if (quorumFreeInMs !== undefined) return inPlace(quorumFreeInMs, known, nowMs);
  // An attempt finds out why and reports it.
  const atMs = Math.min(known.askAtMs, nowMs + pauseMs(known));
  return { move: "askAt", atMs, leavesPlace: true };
}

/** It hears something while it sleeps. */
function onSign(
  happened: Extract<Happened, { what: "first" | "reader" | "turn" | "heard" }>,
  known: Known,
  nowMs: number,
): NextMove {
  switch (happened.what) {
    case "first":
      // Its release will put us into the nodes' queues. Otherwise soon, but not from within this call: where one
      // waiter gives up, all behind it may be about to.
      return happened.isHeldHere ? after(undefined, known, nowMs) : { move: "askAt", atMs: nowMs };
    case "reader":
      // All of them from the schedule, in one turn of the event loop, so that they share batches.
      return { move: "askAt", atMs: nowMs };
    case "turn":
      // With fewer nodes it may fail for as long as the others are down: each rollback would bring the next
      // notification, and we would retry at the speed of the network. False notifications from a quorum would have
      // the same effect, hence the limit.
      if (happened.isQuorum && known.mayAskInTurn)
        return { move: "ask", as: "waiter", isCalled: true };
      return known.isTurnSeen ? GO_ON : sooner(pauseMs(known), known, nowMs);
    case "heard":
      // A refresh finds out whether it has missed a notification. With jitter, so that not all wait queues of the
      // process ask at the same moment.
      return known.isInPlace ? GO_ON : sooner(soonMs(known), known, nowMs);
  }
}

/** A node that is slow to answer an attempt may have sent its message over another connection. */
function isCalledAnew(
  happened: Happened,
  { isLost, mayAskInTurn, deadlineMs }: Known,
  nowMs: number,
): boolean {
  const isCalled = happened.what === "turn" && happened.isQuorum && mayAskInTurn;
  return isCalled && isLost && nowMs < deadlineMs;
}

/** Until those ahead of it are gone; an acquire with an owner also checks for its owner, at first immediately. */
function behind(failure: AttemptFailure | undefined, known: Known, nowMs: number): NextMove {
  if (!known.isOwned) return { move: "askAt", atMs: known.deadlineMs };
  return failure === undefined ? JOIN : after(failure, known, nowMs);
}

/** First in line: until it is notified, or for a while. */
function first(failure: AttemptFailure, known: Known, nowMs: number): NextMove {
  if (known.isItsTurn && known.mayAskInTurn) return askInTurn(nowMs);
  // Nodes held by others make a quorum impossible, and we are in the queue of every node that answered.
  const isHeld = failure.kind === "refused" || failure.kind === "split";
  return isHeld && known.isHeard && known.isRefreshed
    ? inPlace(failure.quorumFreeInMs, known, nowMs)
    : after(failure, known, nowMs);
}

/** Notified while it was asking. */
function askInTurn(nowMs: number): NextMove {
  return { move: "askAt", atMs: nowMs, isCalled: true };
}

/** Until a quorum can be free. */
function inPlace(quorumFreeInMs: number, known: Known, nowMs: number): NextMove {
  return { move: "wait", untilMs: nowMs + (quorumFreeInMs + soonMs(known)) };
}

/** After a pause, unless it is notified first. */
function after(failure: AttemptFailure | undefined, known: Known, nowMs: number): NextMove {
  const quorumFreeInMs = failure?.quorumFreeInMs ?? Number.POSITIVE_INFINITY;
  if (known.isHeard) {
    const waitMs = turnWaitMs({ ...known.wait, quorumFreeInMs, unit: known.random() });
    return { move: "askAt", atMs: nowMs + waitMs };
  }
  return { move: "askAt", atMs: nowMs + (failure?.askAgainInMs ?? pauseMs(known, quorumFreeInMs)) };
}

/** After such a pause, unless it would be woken earlier anyway. */
function sooner(ms: number, known: Known, nowMs: number): NextMove {
  return { move: "askAt", atMs: Math.min(known.wakeAtMs, nowMs + ms) };
}

/** Where no notifications arrive. */
function pauseMs(known: Known, quorumFreeInMs = Number.POSITIVE_INFINITY): number {
  const { attemptCount, wait } = known;
  return backoffMs({ ...wait, attemptCount, quorumFreeInMs, unit: known.random() });
}

function lastKnown({ knownFailure, lastFailure }: Known): AttemptFailure | undefined {
  return knownFailure ?? lastFailure;
}

function hadVote({ votes }: AttemptFailure): boolean {
  return votes.some((vote) => vote?.kind === "granted");
}

/** Immediately, but with jitter. */
function soonMs(known: Known): number {
  return known.random() * known.wait.minDelayMs;
}
