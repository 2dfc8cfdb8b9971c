import { isHopeless, isOwnDelay, unaskedFailure, type AttemptFailure } from "./attempt-failure.js";
import { backoffMs, turnWaitMs } from "./backoff.js";
import { missingKey } from "./gathering.js";
import type { LockKind } from "./lock-kind.js";
import { waitingCountOf, type OwnWaiters } from "./queue-end.js";
import { askAll, isContestOpen, type ContestState } from "./split.js";

/** How long an acquire keeps trying, and how it pauses between its attempts. */
export interface WaitSettings {
  /** How long to keep trying, ms; 0 for one attempt. */
  readonly waitMs: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Never ahead of earlier waiters of this process. */
  readonly fair: boolean;
  /** It does not begin to wait where at least so many do; undefined: it waits however many do. */
  readonly maxWaiters?: number;
}

/**
 * How an acquire stands to others that want the name:
 *
 * - `wait`: it waits for its turn
 * - `preempt`: it takes the name, whoever holds it, and enters no queue: it goes first
 * - `adopt`: its holder in another process has given the lock up for it. There is one attempt
 */
export type Standing = "wait" | "preempt" | "adopt";

/** What an acquire knows when it decides what to do next. Instants are of the lease clock, ms. */
export interface Known {
  readonly standing: Standing;
  /** What it wants. */
  readonly request: {
    readonly keys: Pick<LockKind, "joinOnly" | "parts" | "queue" | "permits">;
    /** @param nodeTimeoutMs how long an attempt may take at most, ms */
    readonly settings: { readonly nodeTimeoutMs: number };
    readonly wait: WaitSettings;
    readonly deadlineMs: number;
  };
  readonly nodeCount: number;
  /** A quorum of nodes can notify this process. */
  readonly isHeard: boolean;
  /** Attempts so far. */
  readonly attemptCount: number;
  /** How many of them followed one another immediately, up to the last. */
  readonly quickCount: number;
  /** The one that is under way, perhaps not admitted yet. */
  readonly attempt:
    | {
        /** Nodes have been asked, and have not decided. */
        readonly isAsking: boolean;
        /** It cannot be granted any more: what the nodes still answer only says why it fails. */
        readonly isLost: boolean;
      }
    | undefined;
  /** The last one only asked for the lock that its owner may hold. */
  readonly isJoiner: boolean;
  /** Its last attempt found the nodes split, and it asks again until then. */
  readonly contest: ContestState | undefined;
  /** Its place in the wait queue of its process, and in the nodes' queues; undefined until it enters that of its process. */
  readonly place:
    | {
        /** It is first in the wait queue of its process. */
        readonly isFirst: boolean;
        /** A reader of this process holds the lock, or asks with it: it may ask although it is not first. */
        readonly isLetIn: boolean;
        /** Its place in the nodes' queues is being kept without attempts: the refreshes say when to ask. */
        readonly isInPlace: boolean;
        /** A quorum of nodes has notified it since its last attempt. */
        readonly isItsTurn: boolean;
        /** Some nodes have, and it has shortened its sleep for that. */
        readonly isTurnSeen: boolean;
        /** How it or another in its wait queue last failed, as far as that says something about what it asks for. */
        readonly knownFailure: AttemptFailure | undefined;
        /** It has failed, or others that ask the same have: until then those to whom that says nothing may ask before it. */
        readonly restsUntilMs: number | undefined;
        /** Notifications have not made it ask too often. */
        mayAskInTurn(nowMs: number): boolean;
      }
    | undefined;
  /**
   * It steals the name, and earlier requests of its process are not decided: when the last of them was sent, Infinity if
   * it has not been sent yet.
   */
  readonly undecidedMs: number | undefined;
  /** When it is woken, and when it meant to ask: it may be woken earlier. */
  readonly wakeAtMs: number;
  readonly askAtMs: number;
  /**
   * The acquires of its process that wait for the name, itself among them once it does.
   *
   * @param lockKey of a set: for which of its names
   */
  ownWaiters(lockKey: string | undefined): OwnWaiters;
  /** None did when it came. */
  readonly wasFirst: boolean;
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
  /** @param isFree another permit may be free, or others were only faster */
  | { readonly what: "failed"; readonly failure: AttemptFailure; readonly isFree: boolean }
  /** It has let others pass in its wait queue, if it had to. */
  | { readonly what: "queued"; readonly failure: AttemptFailure }
  /** Its owner does not hold the lock. */
  | { readonly what: "joinFailed"; readonly failure: AttemptFailure }
  /** It was not admitted in time. */
  | { readonly what: "unasked"; readonly failure: AttemptFailure }
  /** A request of its process steals the name. */
  | { readonly what: "stolen" }
  /** It steals the name, and the earlier requests of its process are decided. */
  | { readonly what: "decided" }
  /** Its time has come, or its deadline. */
  | { readonly what: "due" }
  /** Everybody ahead of it is gone. @param isHeldHere because the one ahead got the lock */
  | { readonly what: "first"; readonly isHeldHere: boolean }
  /** While it rests, another has come to be first. */
  | { readonly what: "passed" }
  /** A reader of this process got the lock, and only readers are ahead. */
  | { readonly what: "reader" }
  /** Nodes have notified it. */
  | { readonly what: "turn"; readonly isQuorum: boolean }
  /** From now on notifications can arrive. */
  | { readonly what: "heard" }
  /** A waiter for one name of a set has got it. @param isHad false: or cannot wait for it any more */
  | { readonly what: "part"; readonly isHad: boolean }
  /** Its place was refreshed. @param quorumFreeInMs undefined if no quorum answered */
  | { readonly what: "looked"; readonly quorumFreeInMs: number | undefined };

/** Any move but the last gives up an attempt that is under way. */
export type NextMove =
  /**
   * Now. As a newcomer, only where its owner holds the lock, or in its turn: from the nodes' queues if it has a place;
   * or as it stands to others.
   *
   * @param isCalled because it was notified: that is limited
   * @param isQuick as the name, or a permit of it, is within reach: that is limited, too
   */
  | {
      readonly move: "ask";
      readonly as: "newcomer" | "joiner" | "waiter" | Exclude<Standing, "wait">;
      readonly isCalled?: boolean;
      readonly isQuick?: boolean;
    }
  /**
   * Then, or at the deadline if that is earlier.
   *
   * @param isLate even slightly after the deadline
   * @param isLastAsk of the contest
   * @param leavesPlace only an attempt says more about its place
   */
  | {
      readonly move: "askAt";
      readonly atMs: number;
      readonly isCalled?: boolean;
      readonly isLate?: boolean;
      readonly isQuick?: boolean;
      readonly isLastAsk?: boolean;
      readonly leavesPlace?: boolean;
    }
  /** For a message, in its place in the nodes' queues, until then or its deadline; or until refreshes say so. */
  | { readonly move: "wait"; readonly untilMs: number }
  /** For that name of its set, by a waiter for that alone. */
  | { readonly move: "gather"; readonly lockKey: string }
  /** In the wait queue, which it enters if it is not in it. */
  | { readonly move: "queue"; readonly failure: AttemptFailure | undefined }
  | { readonly move: "giveUp"; readonly failure: AttemptFailure }
  /** As if it had been granted and then preempted: it must not ask again after a later request. */
  | { readonly move: "yield" }
  /** What it does already. */
  | { readonly move: "goOn" };

const GO_ON: NextMove = { move: "goOn" };
type Ask = Extract<NextMove, { move: "ask" }>;

const FIND_OUT: Ask = { move: "ask", as: "newcomer" };
const JOIN: Ask = { move: "ask", as: "joiner" };
const ASK: Ask = { move: "ask", as: "waiter" };
const ADOPT: Ask = { move: "ask", as: "adopt" };
const PREEMPT: Ask = { move: "ask", as: "preempt" };
const YIELD: NextMove = { move: "yield" };

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
      return onBegun(happened, known, nowMs);
    case "entered":
      return onEntered(happened.failure, known, nowMs);
    case "failed":
      return onFailed(happened, known, nowMs);
    case "unasked":
      return { move: "giveUp", failure: lastKnown(known) ?? happened.failure };
    case "stolen":
      return onStolen(known, nowMs);
    case "decided":
      return known.attemptCount > 0 ? GO_ON : preempt(known, nowMs);
    case "queued":
      return known.place?.isFirst === true
        ? first(happened.failure, known, nowMs)
        : behind(happened.failure, known, nowMs);
    case "joinFailed":
      return onJoinFailed(happened.failure, known, nowMs);
    case "due":
      return onDue(known, nowMs);
    case "looked":
      return onLooked(happened.quorumFreeInMs, known, nowMs);
    case "passed":
      return known.attempt === undefined ? behind(known.lastFailure, known, nowMs) : GO_ON;
    case "part":
      if (known.attempt !== undefined || known.place?.isFirst !== true) return GO_ON;
      return happened.isHad ? ASK : after(undefined, known, nowMs);
    case "first":
    case "reader":
    case "turn":
    case "heard":
      if (known.attempt === undefined) return onSign(happened, known, nowMs);
      // The attempt finds out, unless it waits for no more than the reason why it failed.
      return isCalledAnew(happened, known, nowMs) ? askInTurn(nowMs) : GO_ON;
  }
}

/** Consecutive attempts at permits that nodes report free. */
const MAX_QUICK_PERMITS = 16;

/** Others were faster: nodes that disagreed about tokens agree after the first that was sealed. */
const MAX_QUICK_TRIES = 4;

/** How often an attempt is made again because this process was too busy to send it in time. */
const MAX_DELAYS = 8;

/** Whether a failed attempt is made again immediately, as it says nothing about the nodes. */
export function isMadeAgain({ kind, votes }: AttemptFailure, delayCount: number): boolean {
  return kind === "unreachable" && isOwnDelay(votes) && delayCount < MAX_DELAYS;
}

/** Until when a waiter rests that has failed in a way that says nothing to others: as long as it pauses anyway. */
export function restUntilMs(failure: AttemptFailure, known: Known, nowMs: number): number {
  return nowMs + pollMs(failure, known);
}

/**
 * How urgently an attempt enters.
 *
 * - `called`: nodes have reserved the name for it, or keep the lock that it adopts, for a short time
 * - `plain`: first come, first served
 * - `patient`: like `plain`, but it has failed before and will retry
 */
export type Urgency = "called" | "plain" | "patient";

/** How an attempt enters the admission. */
export interface Entry {
  readonly urgency: Urgency;
  /** If it has not begun by then, it never will. */
  readonly beginUntilMs: number;
}

/** How the next attempt of an acquire enters the admission. */
export function entryOf(known: Known, nowMs: number): Entry {
  const { standing, attemptCount, contest } = known;
  const { wait, deadlineMs } = known.request;
  const isPatient = attemptCount > 0 && nowMs < deadlineMs;
  const urgency = standing === "adopt" ? "called" : isPatient ? "patient" : "plain";
  // A call that does not wait makes its attempt, however many waiters are ahead.
  if (wait.waitMs === 0 && contest === undefined) {
    return { urgency, beginUntilMs: Number.POSITIVE_INFINITY };
  }
  return { urgency, beginUntilMs: Math.max(deadlineMs, contest?.untilMs ?? 0, nowMs + 1) };
}

/** Whether an attempt may begin because nodes have executed the acquire that it left there: no later than any other. */
export function mayBeginByGrant(
  { request }: { readonly request: { readonly deadlineMs: number } },
  nowMs: number,
): boolean {
  return nowMs <= request.deadlineMs;
}

function onBegun(
  { isWaitedFor, isContended }: Extract<Happened, { what: "begun" }>,
  known: Known,
  nowMs: number,
): NextMove {
  if (known.standing === "adopt") return ADOPT;
  if (known.standing === "preempt") return preempt(known, nowMs);
  const { waitMs, fair, maxWaiters } = known.request.wait;
  if (!isContended && !fair) return FIND_OUT;
  // What the nodes say decides whether it may wait.
  if (maxWaiters !== undefined && !fair) return FIND_OUT;
  if (waitMs > 0)
    return isWaitedFor ? queue(undefined, known) : { move: "queue", failure: undefined };
  if (!isWaitedFor || !fair) return FIND_OUT;
  // Its owner may already hold the lock.
  return isOwned(known)
    ? JOIN
    : { move: "giveUp", failure: unaskedFailure("refused", known.nodeCount) };
}

function onFailed(
  { failure, isFree }: Extract<Happened, { what: "failed" }>,
  known: Known,
  nowMs: number,
): NextMove {
  const { place, request, refusal, standing, quickCount } = known;
  const { deadlineMs, settings } = request;
  const { permits } = request.keys;
  // Its semaphore has been resized meanwhile. It would keep all others of its process waiting.
  const wantsTooMany = permits !== undefined && permits.wanted > permits.size.current.count;
  if (failure.kind === "refused" && wantsTooMany) return giveUp(failure, refusal);
  const maxQuickCount = permits === undefined ? MAX_QUICK_TRIES : MAX_QUICK_PERMITS;
  if (isFree && quickCount < maxQuickCount) {
    // Even slightly after the deadline.
    const leftMs = deadlineMs + settings.nodeTimeoutMs - nowMs;
    if (leftMs > 0) {
      // Contenders that have split the votes pause, or they would split them again.
      const jitterMs = hadVote(failure) ? Math.min(soonMs(known), leftMs / 2) : 0;
      return jitterMs > 0
        ? { move: "askAt", atMs: nowMs + jitterMs, isLate: true, isQuick: true }
        : { ...again(known), isQuick: true };
    }
  }
  if (isHopeless(failure.votes)) return giveUp(failure, refusal);
  if (nowMs >= deadlineMs) {
    const askAgain = place === undefined ? inContest(failure, known, nowMs) : undefined;
    return askAgain === undefined ? giveUp(failure, refusal) : { ...askAgain, isLate: true };
  }
  if (standing === "preempt") return { move: "askAt", atMs: nowMs + pauseMs(known) };
  return countsWaiters(known, known.attemptCount - 1)
    ? queue(failure, known)
    : { move: "queue", failure };
}

/**
 * Whether an attempt asks how many wait: before its request is in a queue, or with its first place, where nobody of its
 * process was ahead.
 *
 * @param earlierCount attempts before it
 */
export function countsWaiters({ place, wasFirst, request }: Known, earlierCount: number): boolean {
  if (request.wait.maxWaiters === undefined) return false;
  return place === undefined || (wasFirst && earlierCount === 0);
}

/**
 * Unless too many wait. Where nobody holds the name it waits in any case, and so does an owner that may hold it.
 *
 * @param failure of the attempt before; without one, others of its process are ahead of it
 */
function queue(failure: AttemptFailure | undefined, known: Known): NextMove {
  const { maxWaiters } = known.request.wait;
  if (maxWaiters === undefined) return { move: "queue", failure };
  const isHeld = failure === undefined ? !isOwned(known) : failure.kind === "refused";
  const refusal = failure ?? unaskedFailure("refused", known.nodeCount);
  const own = known.ownWaiters(missingKey(refusal.votes));
  const all = waitingCountOf(refusal.votes, own);
  const waitingCount = known.place === undefined ? all : Math.max(0, all - 1);
  return isHeld && waitingCount >= maxWaiters
    ? { move: "giveUp", failure: { waitingCount, ...refusal } }
    : { move: "queue", failure };
}

/** A split says less than that somebody held the name. */
function giveUp(failure: AttemptFailure, refusal: AttemptFailure | undefined): NextMove {
  return { move: "giveUp", failure: (failure.kind === "split" && refusal) || failure };
}

/** After a pause, if the nodes were split and there is time to ask again. */
function inContest(
  failure: AttemptFailure | undefined,
  known: Known,
  nowMs: number,
): Extract<NextMove, { move: "askAt" }> | undefined {
  const { contest, nodeCount } = known;
  if (failure?.isContested !== true || contest === undefined) return undefined;
  if (!isContestOpen(contest, nowMs)) return undefined;
  const had = { nodeCount, hadVote: hadVote(failure) };
  const { atMs, isLastAsk } = askAll(contest, had, known.random(), nowMs);
  return isLastAsk ? { move: "askAt", atMs, isLastAsk } : { move: "askAt", atMs };
}

/** Earlier requests of its process are decided first, at the latest one node deadline after they were sent. */
function preempt(known: Known, nowMs: number): NextMove {
  const { attempt, attemptCount, undecidedMs } = known;
  const { settings, wait, deadlineMs } = known.request;
  if (attempt !== undefined) return GO_ON;
  if (undecidedMs === undefined || attemptCount > 0) return PREEMPT;
  // Of those that were not sent yet no deadline is running.
  const untilMs = Math.min(undecidedMs, nowMs) + settings.nodeTimeoutMs;
  const atMs = wait.waitMs > 0 ? Math.min(untilMs, deadlineMs) : untilMs;
  return atMs <= nowMs ? PREEMPT : { move: "askAt", atMs, isLate: true };
}

/** After that request, if it has time left. */
function onStolen(known: Known, nowMs: number): NextMove {
  const { standing, attempt } = known;
  if (standing !== "wait") return YIELD;
  if (attempt === undefined) return GO_ON;
  const hasTime = nowMs < known.request.deadlineMs;
  if (hasTime) return { move: "askAt", atMs: nowMs };
  // Nothing of it could be granted, not yet or no more, and this attempt is its only one.
  if (!attempt.isAsking) return GO_ON;
  const failure = lastKnown(known) ?? unaskedFailure("refused", known.nodeCount);
  return { move: "giveUp", failure };
}

/** What it asked last, if that may bring something else now. */
function again({ place, isJoiner }: Known): Ask {
  if (place !== undefined) return ASK;
  return isJoiner ? JOIN : FIND_OUT;
}

function onEntered(failure: AttemptFailure | undefined, known: Known, nowMs: number): NextMove {
  if (known.place?.isLetIn === true) return ASK;
  if (known.place?.isFirst !== true) return behind(failure, known, nowMs);
  if (failure === undefined) return ASK;
  if (known.request.keys.parts !== undefined) return first(failure, known, nowMs);
  // The attempt that enters the nodes' queues. Contenders that have split the votes pause, or they would split them
  // again.
  if (!known.isHeard) return after(failure, known, nowMs);
  return { move: "askAt", atMs: nowMs + (hadVote(failure) ? soonMs(known) : 0) };
}

/** A joiner's refusal says nothing to the others, nor theirs to it. */
function onJoinFailed(failure: AttemptFailure, known: Known, nowMs: number): NextMove {
  if (nowMs >= known.request.deadlineMs) return { move: "giveUp", failure };
  return known.place?.isFirst === true
    ? { move: "askAt", atMs: nowMs }
    : behind(failure, known, nowMs);
}

function onDue(known: Known, nowMs: number): NextMove {
  if (known.standing === "preempt") return preempt(known, nowMs);
  const { place, askAtMs, contest, lastFailure } = known;
  const { wait, deadlineMs } = known.request;
  const isInTime = nowMs < deadlineMs;
  if (place === undefined) {
    // Timers are late: the time of the contest is over, too, and another must not begin.
    const isTooLate = !isInTime && contest !== undefined && nowMs >= contest.untilMs;
    return isTooLate && lastFailure !== undefined
      ? giveUp(lastFailure, known.refusal)
      : again(known);
  }
  // The nodes have said meanwhile that the name is still held.
  if (place.isInPlace && nowMs < askAtMs && isInTime) return { move: "askAt", atMs: askAtMs };
  if (place.isFirst || place.isLetIn) return ASK;
  if (isOwned(known) && isInTime) return JOIN;
  // Its deadline has passed. Asking out of turn would bring an answer that is known.
  const failure = place.knownFailure;
  if (failure !== undefined) return { move: "giveUp", failure };
  return wait.fair
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
    case "first": {
      // Its release will put us into the nodes' queues. Otherwise soon, but not from within this call: where one
      // waiter gives up, all behind it may be about to.
      // That of a set puts none there: this one finds out which name it waits for.
      const pauses = happened.isHeldHere && known.request.keys.parts === undefined;
      const atMs = pauses ? after(undefined, known, nowMs).atMs : nowMs;
      // No new rest, which would never end where others come and go.
      return { move: "askAt", atMs: Math.max(atMs, known.place?.restsUntilMs ?? 0) };
    }
    case "reader":
      // All of them from the schedule, in one turn of the event loop, so that they share batches.
      return { move: "askAt", atMs: nowMs };
    case "turn":
      // With fewer nodes it may fail for as long as the others are down: each rollback would bring the next
      // notification, and we would retry at the speed of the network. False notifications from a quorum would have
      // the same effect, hence the limit.
      if (happened.isQuorum && known.place?.mayAskInTurn(nowMs) === true)
        return { move: "ask", as: "waiter", isCalled: true };
      return known.place?.isTurnSeen === true ? GO_ON : sooner(pauseMs(known), known, nowMs);
    case "heard":
      // A refresh finds out whether it has missed a notification. With jitter, so that not all wait queues of the
      // process ask at the same moment.
      return known.place?.isInPlace === true ? GO_ON : sooner(soonMs(known), known, nowMs);
  }
}

/** A node that is slow to answer an attempt may have sent its message over another connection. */
function isCalledAnew(
  happened: Happened,
  { attempt, place, request }: Known,
  nowMs: number,
): boolean {
  if (happened.what !== "turn" || !happened.isQuorum || attempt?.isLost !== true) return false;
  return place?.mayAskInTurn(nowMs) === true && nowMs < request.deadlineMs;
}

/** Until those ahead of it are gone; an acquire with an owner also checks for its owner, at first immediately. */
function behind(failure: AttemptFailure | undefined, known: Known, nowMs: number): NextMove {
  if (!isOwned(known)) return { move: "askAt", atMs: known.request.deadlineMs };
  return failure === undefined ? JOIN : after(failure, known, nowMs);
}

/** First in line: until it is notified, or for a while. */
function first(failure: AttemptFailure, known: Known, nowMs: number): NextMove {
  const { place, isHeard } = known;
  if (place?.isItsTurn === true && place.mayAskInTurn(nowMs)) return askInTurn(nowMs);
  // Nodes held by others make a quorum impossible, and we are in the queue of every node that answered.
  const isHeld = failure.kind === "refused" || failure.kind === "split";
  const isSet = known.request.keys.parts !== undefined;
  const lockKey = isHeld && isSet ? missingKey(failure.votes) : undefined;
  if (lockKey !== undefined) return { move: "gather", lockKey };
  return isHeld && isHeard && known.request.keys.queue.isRefreshed
    ? inPlace(failure.quorumFreeInMs, known, nowMs)
    : resting(failure, known, nowMs);
}

/** Until its rest is over, so that nobody waits for it after that. */
function resting(failure: AttemptFailure, known: Known, nowMs: number): NextMove {
  const atMs = known.place?.restsUntilMs;
  if (atMs === undefined || atMs <= nowMs) return after(failure, known, nowMs);
  const askAgain = known.isHeard ? undefined : inContest(failure, known, nowMs);
  return askAgain ?? { move: "askAt", atMs };
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
function after(
  failure: AttemptFailure | undefined,
  known: Known,
  nowMs: number,
): Extract<NextMove, { move: "askAt" }> {
  const askAgain = known.isHeard ? undefined : inContest(failure, known, nowMs);
  return askAgain ?? { move: "askAt", atMs: nowMs + pollMs(failure, known) };
}

/** In the nodes' queues, if they can notify it. */
function pollMs(failure: AttemptFailure | undefined, known: Known): number {
  const quorumFreeInMs = failure?.quorumFreeInMs ?? Number.POSITIVE_INFINITY;
  if (!known.isHeard) return pauseMs(known, quorumFreeInMs);
  const { minDelayMs, maxDelayMs } = known.request.wait;
  return turnWaitMs({ minDelayMs, maxDelayMs, quorumFreeInMs, unit: known.random() });
}

/** After such a pause, unless it would be woken earlier anyway. */
function sooner(ms: number, known: Known, nowMs: number): NextMove {
  return { move: "askAt", atMs: Math.min(known.wakeAtMs, nowMs + ms) };
}

/** Where no notifications arrive. */
function pauseMs(known: Known, quorumFreeInMs = Number.POSITIVE_INFINITY): number {
  const { minDelayMs, maxDelayMs } = known.request.wait;
  const { attemptCount } = known;
  const unit = known.random();
  return backoffMs({ attemptCount, minDelayMs, maxDelayMs, quorumFreeInMs, unit });
}

function lastKnown({ place, lastFailure }: Known): AttemptFailure | undefined {
  return place?.knownFailure ?? lastFailure;
}

/** It is for a named owner, who may already hold the lock. */
function isOwned({ request }: Known): boolean {
  return request.keys.joinOnly !== undefined;
}

function hadVote({ votes }: AttemptFailure): boolean {
  return votes.some((vote) => vote?.kind === "granted");
}

/** Immediately, but with jitter. */
function soonMs(known: Known): number {
  return known.random() * known.request.wait.minDelayMs;
}
