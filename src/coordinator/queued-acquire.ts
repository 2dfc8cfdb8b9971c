import { MAX_TURN_TRIES_A_SECOND, turnMs } from "../protocol/backoff.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Happened } from "../protocol/next-move.js";
import type { Waiter } from "../protocol/waiter.js";
import { NEWCOMER, type AcquireMode, type Predecessor } from "./acquire-mode.js";
import type { AcquireRequest } from "./acquire-request.js";
import type { Urgency } from "./admission.js";
import { Allowance } from "./allowance.js";
import type { Context } from "./context.js";
import type { QueuedPlace } from "./places.js";
import type { QueueMember, WaitQueue } from "./wait-queue.js";
import type { GrantedWaiter } from "./wait-queues.js";

/** The acquire that waits. */
export interface Waiting {
  /** It is told what happens to its place, and decides what to do. */
  on(happened: Happened, nowMs?: number): void;
  /** Begins an attempt. */
  ask(nowMs: number, mode: AcquireMode, urgency?: Urgency): void;
  /** An attempt is under way, perhaps not admitted yet. */
  readonly isUnderWay: boolean;
  /** Nodes have been asked for the lock itself, and have not decided yet. */
  readonly isAskingForItself: boolean;
  /** Nodes have been asked, and have not decided yet. */
  readonly isAsking: boolean;
  /** Nodes have reserved the name for it. */
  hurry(): void;
  /** Rolls back what is in flight, to ask anew. */
  rollBack(): void;
}

/** The place of an acquire in the wait queue of its process, and in the nodes' queues. */
export class QueuedAcquire implements QueueMember {
  readonly request: AcquireRequest;
  readonly keys: LockKind;
  readonly waiter: Waiter | undefined;
  /** A reader of this process holds the lock: this one may ask although it is not first in line. */
  isLetIn = false;
  /** Some nodes have notified us since the last attempt. */
  isTurnSeen = false;

  readonly #context: Context;
  readonly #acquire: Waiting;
  readonly #waitQueue: WaitQueue;
  #turnTries: Allowance | undefined;
  /** How its own last attempt failed. */
  #ownFailure: AttemptFailure | undefined;
  /** Its place in the nodes' queues, while that is refreshed. */
  #place: QueuedPlace | undefined;
  #hasLeft = false;

  constructor(context: Context, request: AcquireRequest, acquire: Waiting) {
    const { waitQueues } = context;
    this.#context = context;
    this.request = request;
    this.keys = request.keys;
    this.#acquire = acquire;
    if (waitQueues.inbox !== undefined) {
      const { id: inbox } = waitQueues.inbox;
      const turn = turnMs(request.settings.nodeTimeoutMs);
      const { placePrefix } = this.keys.queue;
      this.waiter = { inbox, ticket: waitQueues.ticket(), turnMs: turn, placePrefix };
    }
    this.#waitQueue = waitQueues.enter(this.keys, this);
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
    if (this.keys.joinOnly !== undefined) return this.#ownFailure;
    return this.#waitQueue.failures.findFor(this.request) ?? this.#ownFailure;
  }

  /** Its own attempt, before it entered the wait queue or since. */
  remember(failure: AttemptFailure | undefined): void {
    this.#ownFailure = failure;
  }

  /** It asks again later, and others may ask before it. */
  letPass(failure: AttemptFailure): void {
    this.isLetIn = false;
    if (this.isFirst) this.#context.waitQueues.letPass(this.#waitQueue, this, failure);
  }

  /** @param from a lock of this process that is released with the attempt */
  tryNow(nowMs: number, from?: Predecessor): void {
    if (this.#hasLeft) return;
    const { turns, waiter } = this;
    const isCalled = turns !== undefined && this.isItsTurn;
    turns?.forgetTurns();
    this.isTurnSeen = false;
    if (waiter === undefined) this.#acquire.ask(nowMs, NEWCOMER);
    else if (from !== undefined) {
      this.#acquire.ask(nowMs, { as: "passOn", waiter, from }, "atOnce");
    } else this.#acquire.ask(nowMs, { as: "waiter", waiter }, isCalled ? "called" : undefined);
  }

  /** Called by the wait queue. */
  onFirst(isHeldHere: boolean): void {
    this.#acquire.on({ what: "first", isHeldHere });
  }

  /** Called by the wait queue. */
  onReader(): void {
    if (!this.#acquire.isUnderWay) this.isLetIn = true;
    this.#acquire.on({ what: "reader" });
  }

  /** Called by the wait queue. */
  onTurn(isQuorum: boolean): void {
    if (isQuorum) this.#acquire.hurry();
    this.#acquire.on({ what: "turn", isQuorum });
  }

  /** Called by the wait queue. */
  onHeard(): void {
    this.#acquire.on({ what: "heard" });
  }

  /** Read by the wait queues. */
  get isAsking(): boolean {
    return this.#acquire.isAskingForItself;
  }

  /** Called by the wait queue. */
  isReady(nowMs: number): boolean {
    const isFree = !this.#acquire.isAsking && !this.#hasLeft;
    return this.keys.queue.passesOn && isFree && nowMs <= this.request.deadlineMs;
  }

  /** Called by the lease that is released. */
  receive(from: Predecessor, nowMs: number): void {
    this.#acquire.rollBack();
    this.tryNow(nowMs, from);
  }

  get isFirst(): boolean {
    return this.#waitQueue.first === this;
  }

  /** A quorum of nodes has notified us since the last attempt. */
  get isItsTurn(): boolean {
    return this.#waitQueue.isOurTurn(this.#context.nodes.length);
  }

  /** Its place is refreshed, and the refreshes say when to ask. */
  get isInPlace(): boolean {
    return this.#place !== undefined;
  }

  /** Lets its place be refreshed, if it has one. */
  keepPlace(): void {
    const { keys, waiter } = this;
    if (waiter === undefined) return;
    const { nodeTimeoutMs } = this.request.settings;
    const onLook: QueuedPlace["onLook"] = (quorumFreeInMs, nowMs) =>
      this.#acquire.on({ what: "looked", quorumFreeInMs }, nowMs);
    this.#place = { keys, waiter, nodeTimeoutMs, onLook };
    this.#context.waitQueues.places?.add(this.#place);
  }

  /** Earlier answers to refreshes are outdated. Its attempts keep its place. */
  leavePlace(): void {
    if (this.#place !== undefined) this.#context.waitQueues.places?.delete(this.#place);
    this.#place = undefined;
  }

  mayAskInTurn(nowMs: number): boolean {
    return this.#turnTries?.allows(nowMs) !== false;
  }

  /** It asks because it was notified. */
  takeTurn(nowMs: number): void {
    this.#turnTries ??= new Allowance(MAX_TURN_TRIES_A_SECOND);
    this.#turnTries.take(nowMs);
  }
}
