import { MAX_TURN_TRIES_A_SECOND, turnMs } from "../protocol/backoff.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Waiter } from "../protocol/waiter.js";
import type { AcquireAttempts } from "./acquire-attempts.js";
import { JOINER, NEWCOMER, type AcquireMode, type Predecessor } from "./acquire-mode.js";
import type { AcquireRequest } from "./acquire-request.js";
import type { AcquireTimer } from "./acquire-timer.js";
import type { Urgency } from "./admission.js";
import { Allowance } from "./allowance.js";
import { unaskedFailure, type AttemptFailure } from "./attempt-failure.js";
import type { Context } from "./context.js";
import type { QueueMember, WaitQueue } from "./wait-queue.js";
import type { GrantedWaiter } from "./wait-queues.js";

/** The acquire that waits. */
export interface Asker {
  /** Begins an attempt. */
  ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void;
  /** Ends it. */
  fail(failure: AttemptFailure): void;
}

/**
 * An acquire in the wait queue of its process: decides when to ask, and how.
 *
 * Only the first waiter contends, and the readers behind it once one has been granted. It sleeps until the nodes
 * notify it, and polls now and then because a message may be lost. The others sleep. One for a named owner also
 * checks whether that owner holds the lock by now: the holder may be waiting for it, so it must not wait for those
 * ahead of it.
 */
export class QueuedAcquire implements QueueMember {
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
  /** Some nodes have notified us since the last attempt. */
  #isTurnSeen = false;
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
    const { pauses } = this.#timer;
    this.#ownFailure = failure;
    if (!this.#isFirst) this.#sleepBehind(nowMs, failure);
    else if (failure === undefined) this.tryNow(nowMs);
    else this.#timer.sleepUntil(nowMs + pauses.queueUpMs(failure, this.#attempts.count));
  }

  /** @param holder the lock that it got, if it got it */
  leave(holder: GrantedWaiter | undefined): void {
    this.#hasLeft = true;
    this.#context.waitQueues.leave(this.#waitQueue, this, holder);
  }

  /** The wait queue, if its notifications are for this acquire, that is, if it is first in line. */
  get turns(): WaitQueue | undefined {
    return this.#isFirst ? this.#waitQueue : undefined;
  }

  /**
   * How the lock was last refused since this acquire began, to it or to others in its wait queue. What others were told
   * says nothing to an owner: the holder that they wait for may be that owner.
   */
  get knownFailure(): AttemptFailure | undefined {
    if (this.#isOwned) return this.#ownFailure;
    return this.#waitQueue.failures.findFor(this.request) ?? this.#ownFailure;
  }

  /** Its attempt failed, and its deadline has not passed. */
  onFailure(failure: AttemptFailure, nowMs: number): void {
    this.isLetIn = false;
    this.#ownFailure = failure;
    const { waitQueues } = this.#context;
    if (this.#isFirst && !waitQueues.letPass(this.#waitQueue, this, failure)) {
      this.#sleepFirst(nowMs, failure);
    } else this.#sleepBehind(nowMs, failure);
  }

  /** A joiner's refusal says nothing to the others, nor theirs to it. */
  onJoinFailure(failure: AttemptFailure, nowMs: number): void {
    this.#ownFailure = failure;
    if (nowMs >= this.request.deadlineMs) this.#asker.fail(failure);
    else if (this.#isFirst) this.#timer.sleepUntil(nowMs);
    else this.#sleepBehind(nowMs, failure);
  }

  /** Its timer is due. */
  onDue(nowMs: number): void {
    if (this.#isFirst || this.isLetIn) this.tryNow(nowMs);
    else if (this.#isOwned && nowMs < this.request.deadlineMs) this.#join(nowMs);
    else {
      // Its deadline has passed. Asking out of turn would bring an answer that is known.
      const failure = this.knownFailure;
      if (failure !== undefined) this.#asker.fail(failure);
      else if (this.request.wait.fair) {
        this.#asker.fail(unaskedFailure("refused", this.#context.nodes.length));
      } else this.#asker.ask(nowMs, NEWCOMER);
    }
  }

  /** @param from a lock of this process that is released with the attempt */
  tryNow(nowMs: number, from?: Predecessor): void {
    if (this.#hasLeft) return;
    const { turns, waiter } = this;
    const isCalled = turns?.isOurTurn(this.#context.nodes.length) === true;
    turns?.forgetTurns();
    this.#isTurnSeen = false;
    if (waiter === undefined) this.#asker.ask(nowMs, NEWCOMER);
    else if (from !== undefined) {
      this.#asker.ask(nowMs, { as: "passOn", waiter, from }, "atOnce");
    } else this.#asker.ask(nowMs, { as: "waiter", waiter }, isCalled ? "called" : undefined);
  }

  /** Called by the wait queue. */
  onFirst(isHeldHere: boolean): void {
    if (!this.#isIdle) return;
    // Its release will put us into the nodes' queues. Otherwise soon, but not from within this call: where one waiter
    // gives up, all behind it may be about to.
    const { pauses } = this.#timer;
    const pauseMs = isHeldHere ? pauses.nextMs(undefined, this.#attempts.count) : 0;
    this.#timer.sleepUntil(this.#context.clock.now() + pauseMs);
  }

  /** Called by the wait queue. */
  onReader(): void {
    if (!this.#isIdle) return;
    this.isLetIn = true;
    // All of them from the schedule, in one turn of the event loop, so that they share batches.
    this.#timer.sleepUntil(this.#context.clock.now());
  }

  /** Called by the wait queue. */
  onTurn(isQuorum: boolean): void {
    if (isQuorum) this.#attempts.hurry();
    if (!this.#isIdle) return;
    const nowMs = this.#context.clock.now();
    // With fewer nodes it may fail for as long as the others are down: each rollback would bring the next
    // notification, and we would retry at the speed of the network. False notifications from a quorum would have the
    // same effect, hence the limit.
    if (isQuorum && this.#mayTryInTurn(nowMs)) this.tryNow(nowMs);
    else if (!this.#isTurnSeen) {
      this.#isTurnSeen = true;
      this.#timer.sleepAtMost(nowMs, this.#timer.pauses.backoffMs(this.#attempts.count));
    }
  }

  /** Called by the wait queue. */
  onHeard(): void {
    // A refresh finds out whether it has missed a notification.
    if (!this.#isIdle || this.#timer.isInPlace) return;
    // With jitter, so that not all wait queues of the process ask at the same moment.
    this.#timer.sleepAtMost(this.#context.clock.now(), this.#timer.pauses.soonMs);
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

  get #isFirst(): boolean {
    return this.#waitQueue.first === this;
  }

  get #isIdle(): boolean {
    return !this.#attempts.isUnderWay && !this.#hasLeft;
  }

  /** Its owner may already hold the lock. */
  get #isOwned(): boolean {
    return this.keys.joinOnly !== undefined;
  }

  /** Only where its owner holds the lock: free keys are for those ahead of it. */
  #join(nowMs: number): void {
    this.#asker.ask(nowMs, JOINER);
  }

  #mayTryInTurn(nowMs: number): boolean {
    this.#turnTries ??= new Allowance(MAX_TURN_TRIES_A_SECOND);
    return this.#turnTries.take(nowMs);
  }

  /** Until those ahead of us are gone; an acquire with an owner also checks for its owner, at first immediately. */
  #sleepBehind(nowMs: number, failure: AttemptFailure | undefined): void {
    if (!this.#isOwned) this.#timer.sleepUntil(this.request.deadlineMs);
    else if (failure === undefined) this.#join(nowMs);
    else this.#sleepAfter(failure, nowMs);
  }

  /** First in line: until it is notified, or for a while. */
  #sleepFirst(nowMs: number, failure: AttemptFailure): void {
    const { nodes, waitQueues } = this.#context;
    const isTold = waitQueues.inbox?.isHeard === true && this.keys.queue.isRefreshed;
    if (this.#waitQueue.isOurTurn(nodes.length) && this.#mayTryInTurn(nowMs)) {
      this.#timer.sleepUntil(nowMs);
    } else if ((failure.kind === "refused" || failure.kind === "split") && isTold) {
      // Nodes held by others make a quorum impossible, and we are in the queue of every node that answered.
      this.#timer.sleepInPlace(nowMs, this.request, this.waiter, failure.quorumFreeInMs);
    } else this.#sleepAfter(failure, nowMs);
  }

  #sleepAfter(failure: AttemptFailure, nowMs: number): void {
    this.#timer.sleepUntil(nowMs + this.#timer.pauses.nextMs(failure, this.#attempts.count));
  }
}
