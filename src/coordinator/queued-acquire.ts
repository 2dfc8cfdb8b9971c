import { MAX_TURN_TRIES_A_SECOND, turnMs } from "../protocol/backoff.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { LockKind } from "../protocol/lock-kind.js";
import {
  nextMove,
  type Happened,
  type Known,
  type NextMove,
  type WaitSettings,
} from "../protocol/next-move.js";
import type { Waiter } from "../protocol/waiter.js";
import type { AcquireAttempts } from "./acquire-attempts.js";
import { JOINER, NEWCOMER, type AcquireMode, type Predecessor } from "./acquire-mode.js";
import type { AcquireRequest } from "./acquire-request.js";
import type { AcquireTimer } from "./acquire-timer.js";
import type { Urgency } from "./admission.js";
import { Allowance } from "./allowance.js";
import type { Context } from "./context.js";
import type { QueuedPlace } from "./places.js";
import type { QueueMember, WaitQueue } from "./wait-queue.js";
import type { GrantedWaiter } from "./wait-queues.js";

/** The acquire that waits. */
export interface Asker {
  /** Begins an attempt. */
  ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void;
  /** Ends it. */
  fail(failure: AttemptFailure): void;
}

/** An acquire in the wait queue of its process. What it does next is decided by `protocol/next-move`. */
export class QueuedAcquire implements QueueMember, Known {
  readonly request: AcquireRequest;
  readonly keys: LockKind;
  readonly waiter: Waiter | undefined;
  /** A reader of this process holds the lock: this one may ask although it is not first in line. */
  isLetIn = false;

  readonly #context: Context;
  readonly #attempts: AcquireAttempts;
  readonly #timer: AcquireTimer;
  readonly #asker: Asker;
  readonly #waitQueue: WaitQueue;
  isTurnSeen = false;
  #turnTries: Allowance | undefined;
  /** How its own last attempt failed. */
  #ownFailure: AttemptFailure | undefined;
  #hasLeft = false;

  constructor(
    context: Context,
    request: AcquireRequest,
    attempts: AcquireAttempts,
    timer: AcquireTimer,
    asker: Asker,
  ) {
    const { waitQueues } = context;
    this.#context = context;
    this.request = request;
    this.keys = request.keys;
    this.#attempts = attempts;
    this.#timer = timer;
    this.#asker = asker;
    if (waitQueues.inbox !== undefined) {
      const { id: inbox } = waitQueues.inbox;
      const turn = turnMs(request.settings.nodeTimeoutMs);
      const { placePrefix } = this.keys.queue;
      this.waiter = { inbox, ticket: waitQueues.ticket(), turnMs: turn, placePrefix };
    }
    this.#waitQueue = waitQueues.enter(this.keys, this);
  }

  /** @param failure of the previous attempt, if there was one */
  begin(nowMs: number, failure: AttemptFailure | undefined): void {
    this.#ownFailure = failure;
    this.#on({ what: "entered", failure }, nowMs);
  }

  /** @param holder the lock that it got, if it got it */
  leave(holder: GrantedWaiter | undefined): void {
    this.#hasLeft = true;
    this.#context.waitQueues.leave(this.#waitQueue, this, holder);
  }

  /** The wait queue, if its notifications are for this acquire, that is, if it is first in line. */
  get turns(): WaitQueue | undefined {
    return this.isFirst ? this.#waitQueue : undefined;
  }

  /**
   * How the lock was last refused since this acquire began, to it or to others in its wait queue. What others were told
   * says nothing to an owner: the holder that they wait for may be that owner.
   */
  get knownFailure(): AttemptFailure | undefined {
    if (this.isOwned) return this.#ownFailure;
    return this.#waitQueue.failures.findFor(this.request) ?? this.#ownFailure;
  }

  /** Its attempt failed, and its deadline has not passed. */
  onFailure(failure: AttemptFailure, nowMs: number): void {
    this.isLetIn = false;
    this.#ownFailure = failure;
    if (this.isFirst) this.#context.waitQueues.letPass(this.#waitQueue, this, failure);
    this.#on({ what: "failed", failure }, nowMs);
  }

  onJoinFailure(failure: AttemptFailure, nowMs: number): void {
    this.#ownFailure = failure;
    this.#on({ what: "joinFailed", failure }, nowMs);
  }

  /** Its timer is due. */
  onDue(nowMs: number): void {
    this.#on({ what: "due" }, nowMs);
  }

  /** @param from a lock of this process that is released with the attempt */
  tryNow(nowMs: number, from?: Predecessor): void {
    if (this.#hasLeft) return;
    const { turns, waiter } = this;
    const isCalled = turns !== undefined && this.isItsTurn;
    turns?.forgetTurns();
    this.isTurnSeen = false;
    if (waiter === undefined) this.#asker.ask(nowMs, NEWCOMER);
    else if (from !== undefined) {
      this.#asker.ask(nowMs, { as: "passOn", waiter, from }, "atOnce");
    } else this.#asker.ask(nowMs, { as: "waiter", waiter }, isCalled ? "called" : undefined);
  }

  /** Called by the wait queue. */
  onFirst(isHeldHere: boolean): void {
    this.#on({ what: "first", isHeldHere });
  }

  /** Called by the wait queue. */
  onReader(): void {
    if (!this.isUnderWay) this.isLetIn = true;
    this.#on({ what: "reader" });
  }

  /** Called by the wait queue. */
  onTurn(isQuorum: boolean): void {
    if (isQuorum) this.#attempts.hurry();
    const move = this.#on({ what: "turn", isQuorum });
    if (move?.move === "askAt") this.isTurnSeen = true;
  }

  /** Called by the wait queue. */
  onHeard(): void {
    this.#on({ what: "heard" });
  }

  /** Read by the wait queues. */
  get isAsking(): boolean {
    return this.#attempts.isAsking && !this.#attempts.isJoiner;
  }

  /** Called by the wait queue. */
  isReady(nowMs: number): boolean {
    const isFree = !this.#attempts.isAsking && !this.#hasLeft;
    return this.keys.queue.passesOn && isFree && nowMs <= this.request.deadlineMs;
  }

  /** Called by the lease that is released. */
  receive(from: Predecessor, nowMs: number): void {
    this.#attempts.abort();
    this.tryNow(nowMs, from);
  }

  get wait(): WaitSettings {
    return this.request.wait;
  }

  get deadlineMs(): number {
    return this.request.deadlineMs;
  }

  get nodeCount(): number {
    return this.#context.nodes.length;
  }

  get attemptCount(): number {
    return this.#attempts.count;
  }

  get isUnderWay(): boolean {
    return this.#attempts.isUnderWay;
  }

  get isOwned(): boolean {
    return this.keys.joinOnly !== undefined;
  }

  get isFirst(): boolean {
    return this.#waitQueue.first === this;
  }

  get isHeard(): boolean {
    return this.#context.waitQueues.inbox?.isHeard === true;
  }

  get isRefreshed(): boolean {
    return this.keys.queue.isRefreshed;
  }

  get isInPlace(): boolean {
    return this.#timer.isInPlace;
  }

  get isItsTurn(): boolean {
    return this.#waitQueue.isOurTurn(this.nodeCount);
  }

  get mayAskInTurn(): boolean {
    return this.#turnTries?.allows(this.#context.clock.now()) !== false;
  }

  get wakeAtMs(): number {
    return this.#timer.wakeAtMs;
  }

  get askAtMs(): number {
    return this.#timer.askAtMs;
  }

  random(): number {
    return this.#context.entropy.unit();
  }

  #on(happened: Happened, nowMs = this.#context.clock.now()): NextMove | undefined {
    if (this.#hasLeft) return undefined;
    const move = nextMove(happened, this, nowMs);
    this.#perform(move, nowMs);
    return move;
  }

  #perform(move: NextMove, nowMs: number): void {
    switch (move.move) {
      case "ask":
        if (move.isCalled === true) this.#takeTurn(nowMs);
        if (move.as === "waiter") this.tryNow(nowMs);
        else this.#asker.ask(nowMs, move.as === "joiner" ? JOINER : NEWCOMER);
        break;
      case "askAt":
        if (move.isCalled === true) this.#takeTurn(nowMs);
        if (move.leavesPlace === true) this.#timer.leavePlace();
        this.#timer.sleepUntil(move.atMs);
        break;
      case "wait":
        if (this.isInPlace) this.#timer.putOff(move.untilMs);
        else this.#timer.sleepInPlace(move.untilMs, this.#place());
        break;
      case "giveUp":
        this.#asker.fail(move.failure);
        break;
      case "goOn":
        break;
    }
  }

  #takeTurn(nowMs: number): void {
    this.#turnTries ??= new Allowance(MAX_TURN_TRIES_A_SECOND);
    this.#turnTries.take(nowMs);
  }

  #place(): QueuedPlace | undefined {
    const { keys, waiter } = this;
    if (waiter === undefined) return undefined;
    const { nodeTimeoutMs } = this.request.settings;
    const onLook: QueuedPlace["onLook"] = (quorumFreeInMs, nowMs) =>
      void this.#on({ what: "looked", quorumFreeInMs }, nowMs);
    return { keys, waiter, nodeTimeoutMs, onLook };
  }
}
