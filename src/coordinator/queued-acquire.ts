import { MAX_TURN_TRIES_A_SECOND, turnMs } from "../protocol/backoff.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Waiter } from "../protocol/waiter.js";
import type { AcquireAttempts } from "./acquire-attempts.js";
import { NEWCOMER, type AcquireMode, type Predecessor } from "./acquire-mode.js";
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
 * An acquire that waits, in the wait queue of its process: it decides when to ask, and how.
 *
 * Only the first of a wait queue contends, and the readers behind it, once one got in. It sleeps until the nodes
 * say that it is its turn, or a while has gone by (a message may be lost). Those behind it sleep; one for a
 * named owner asks now and then whether that owner is in by now: who would let it in may wait for it, and
 * must not wait for those who stand before it.
 */
export class QueuedAcquire implements QueueMember {
  readonly keys: LockKind;
  readonly waiter: Waiter | undefined;
  /** A reader of this process has it: we may ask although we are not the first in line. */
  isLetIn = false;

  readonly #context: Context;
  readonly #request: AcquireRequest;
  readonly #attempts: AcquireAttempts;
  readonly #timer: AcquireTimer;
  readonly #asker: Asker;
  readonly #waitQueue: WaitQueue;
  /** Some nodes have said since the last attempt that it is our turn. */
  #isTurnSeen = false;
  #turnTries: Allowance | undefined;
  /** How its own attempt failed, of one that was first in line and has let others pass. */
  #failureBefore: AttemptFailure | undefined;
  /** How the last attempt failed that asked only where our owner is in. */
  #joinFailure: AttemptFailure | undefined;
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
    this.#request = request;
    this.#attempts = attempts;
    this.#timer = timer;
    this.#asker = asker;
    this.keys = request.keys;
    if (waitQueues.inbox !== undefined) {
      const { id: inbox } = waitQueues.inbox;
      const turn = turnMs(request.settings.nodeTimeoutMs);
      const { placePrefix } = this.keys.queue;
      this.waiter = { inbox, ticket: waitQueues.ticket(), turnMs: turn, placePrefix };
    }
    this.#waitQueue = waitQueues.enter(this.keys, this);
  }

  /** @param failure of the attempt that went before, if there was one */
  begin(nowMs: number, failure: AttemptFailure | undefined): void {
    const { pauses } = this.#timer;
    if (!this.#isFirst) this.#sleepBehind(nowMs, failure);
    else if (failure === undefined) this.tryNow(nowMs);
    else this.#timer.sleepUntil(nowMs + pauses.queueUpMs(failure, this.#attempts.count));
  }

  /** @param holder the lock that it got, if it got it */
  leave(holder: GrantedWaiter | undefined): void {
    this.#hasLeft = true;
    this.#context.waitQueues.leave(this.#waitQueue, this, holder);
  }

  /** The wait queue, if its turns are ours: they are for the first in line. */
  get turns(): WaitQueue | undefined {
    return this.#isFirst ? this.#waitQueue : undefined;
  }

  /** How what it waits for was refused since it came, to itself or to others of its wait queue. */
  get knownFailure(): AttemptFailure | undefined {
    const told = this.#waitQueue.failureSince(this.#request.startedMs, this.keys);
    return this.#joinFailure ?? told ?? this.#failureBefore;
  }

  /** Its attempt failed: others of its wait queue need not find that out. */
  remember(failure: AttemptFailure): void {
    this.#waitQueue.onFailure(failure, this.#attempts.sentMs, this.keys);
  }

  /** Its attempt failed, and its time is not over. */
  onFailure(failure: AttemptFailure, nowMs: number): void {
    this.isLetIn = false;
    if (!this.#isFirst) this.#sleepBehind(nowMs, failure);
    else if (this.keys.queue.rotates && this.#waitQueue.rotate(this)) {
      this.#failureBefore = failure;
      // Whoever wants only the first name does not wait for the others.
      this.#timer.sleepUntil(this.#request.deadlineMs);
    } else this.#sleepFirst(nowMs, failure);
  }

  /** What an attempt as a joiner is told tells others nothing, nor what they are told it. */
  onJoinFailure(failure: AttemptFailure, nowMs: number): void {
    this.#joinFailure = failure;
    if (nowMs >= this.#request.deadlineMs) this.#asker.fail(failure);
    else if (this.#isFirst) this.#timer.sleepUntil(nowMs);
    else this.#sleepBehind(nowMs, failure);
  }

  /** Its timer is due. */
  onDue(nowMs: number): void {
    if (this.#isFirst || this.isLetIn) this.tryNow(nowMs);
    else if (this.#isOwned && nowMs < this.#request.deadlineMs) this.#join(nowMs);
    else {
      // Its time is over. Asking out of turn would say the same as the others have been told.
      const failure = this.knownFailure;
      if (failure !== undefined) this.#asker.fail(failure);
      else if (this.#request.wait.fair) {
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
      this.#asker.ask(nowMs, { as: "handOver", waiter, from }, "atOnce");
    } else this.#asker.ask(nowMs, { as: "waiter", waiter }, isCalled ? "called" : undefined);
  }

  /** Called by the wait queue. */
  onFirst(isHeldHere: boolean): void {
    if (!this.#isIdle) return;
    // Its release will put us into the queue of the nodes. Otherwise soon, but not from within this
    // call: where one gives up, all behind it may be about to.
    const { pauses } = this.#timer;
    const pauseMs = isHeldHere ? pauses.nextMs(undefined, this.#attempts.count) : 0;
    this.#timer.sleepUntil(this.#context.clock.now() + pauseMs);
  }

  /** Called by the wait queue. */
  onReader(): void {
    if (!this.#isIdle) return;
    this.isLetIn = true;
    // All of them from the schedule, in one turn of the event loop: so they share their batches.
    this.#timer.sleepUntil(this.#context.clock.now());
  }

  /** Called by the wait queue. */
  onTurn(isQuorum: boolean): void {
    if (isQuorum) this.#attempts.hurry();
    if (!this.#isIdle) return;
    const nowMs = this.#context.clock.now();
    // With fewer nodes it may be in vain, for as long as the others are away: each rollback would
    // give the next turn, and we would ask again and again at the speed of the network. So we would
    // if a quorum said so again and again, and it was not true.
    if (isQuorum && this.#mayTryInTurn(nowMs)) this.tryNow(nowMs);
    else if (!this.#isTurnSeen) {
      this.#isTurnSeen = true;
      this.#timer.sleepAtMost(nowMs, this.#timer.pauses.backoffMs(this.#attempts.count));
    }
  }

  /** Called by the wait queue. */
  onHeard(): void {
    // A refresh finds out whether it has missed its turn.
    if (!this.#isIdle || this.#timer.isInPlace) return;
    // Not all wait queues of the process at once.
    const { soonMs } = this.#timer.pauses;
    this.#timer.sleepAtMost(this.#context.clock.now(), soonMs);
  }

  /** Called by the wait queue. */
  isReady(nowMs: number): boolean {
    const isFree = !this.#attempts.isAsking && !this.#hasLeft;
    return this.keys.queue.handsOver && isFree && nowMs <= this.#request.deadlineMs;
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

  /** Its owner may be in already. */
  get #isOwned(): boolean {
    return this.keys.joinOnly !== undefined;
  }

  /** Only where its owner is in: what is free is for those who stand before it. */
  #join(nowMs: number): void {
    this.#asker.ask(nowMs, { as: "joiner" });
  }

  #mayTryInTurn(nowMs: number): boolean {
    this.#turnTries ??= new Allowance(MAX_TURN_TRIES_A_SECOND);
    return this.#turnTries.take(nowMs);
  }

  /** Until those before us are gone; an owner looks whether it is in meanwhile, at first at once. */
  #sleepBehind(nowMs: number, failure: AttemptFailure | undefined): void {
    if (!this.#isOwned) this.#timer.sleepUntil(this.#request.deadlineMs);
    else if (failure === undefined) this.#join(nowMs);
    else this.#sleepAfter(failure, nowMs);
  }

  /** First in line: until it is our turn, or for a while. */
  #sleepFirst(nowMs: number, failure: AttemptFailure): void {
    const { nodes, waitQueues } = this.#context;
    const isTold = waitQueues.inbox?.isHeard === true && this.keys.queue.isRefreshed;
    if (this.#waitQueue.isOurTurn(nodes.length) && this.#mayTryInTurn(nowMs)) {
      this.#timer.sleepUntil(nowMs);
    } else if (failure.kind === "refused" && isTold) {
      // Nodes that hold it for others make a quorum impossible, and we stand in the queues of all that answered.
      this.#timer.sleepInPlace(nowMs, this.#request, this.waiter, failure.quorumFreeInMs);
    } else this.#sleepAfter(failure, nowMs);
  }

  #sleepAfter(failure: AttemptFailure, nowMs: number): void {
    this.#timer.sleepUntil(nowMs + this.#timer.pauses.nextMs(failure, this.#attempts.count));
  }
}
