import { MAX_TURN_TRIES_A_SECOND } from "../protocol/backoff.js";
import { turnMs, type DeferredAcquire, type Waiter } from "../protocol/node-queue.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Happened, WaitSettings } from "../protocol/next-move.js";
import { keyTtlMs, usableForMs } from "../protocol/lease-times.js";
import { maxAgeMs, type NodeGrant } from "../protocol/node-messages.js";
import { leaseOwnerIdOf } from "../protocol/owner-id.js";
import { Allowance } from "./allowance.js";
import type { Attempt } from "./attempt.js";
import type { Context } from "./context.js";
import type { Lease } from "./lease.js";
import { isSame, type LeaseSettings } from "./lease-settings.js";
import type { QueuedPlace } from "./places.js";
import { ALL_NODES } from "../protocol/quorum.js";
import type { DatedVote } from "./ports.js";
import { rollback } from "./release.js";
import type { GrantedWaiter, QueueMember, Rest, WaitQueue } from "./wait-queue.js";

/** What an acquire wants, and for how long. */
export interface AcquireRequest {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
  readonly wait: WaitSettings;
  /** Lease clock, ms. */
  readonly startedMs: number;
  /** The acquire's deadline, lease clock, ms. */
  readonly deadlineMs: number;
  /** Of one for a set that waits for its names: the place of that. */
  readonly ticket?: number | undefined;
}

/** The acquire that waits. */
export interface Waiting {
  /** The attempt that is under way, perhaps not admitted yet. */
  readonly attempt: Pick<Attempt, "hasBegun" | "isAsking" | "isJoiner" | "hurry"> | undefined;
  /** It is told what happens to its place, and decides what to do. */
  on(happened: Happened, nowMs?: number): void;
  /** A lock of this process is passed on to it. */
  receive(lease: Lease): void;
  /** A node has executed its deferred acquire. */
  onNodeGrant(index: number, dated: DatedVote): void;
}

/** The place of an acquire in the wait queue of its process, and in the nodes' queues. */
export class WaitPlace implements QueueMember {
  readonly request: AcquireRequest;
  readonly keys: LockKind;
  /** Its place in all queues, in the order in which waits began. */
  ticket: number;
  waiter: Waiter | undefined;
  /** A reader of this process holds the lock, or asks with it: this one may ask although it is not first in line. */
  isLetIn = false;
  /** Some nodes have notified us since the last attempt, and the acquire sleeps less long for that. */
  isTurnSeen = false;
  rest: Rest | undefined;

  readonly #context: Context;
  readonly #acquire: Waiting;
  #waitQueue: WaitQueue | undefined;
  #turnTries: Allowance | undefined;
  /** How its own last attempt failed. */
  #ownFailure: AttemptFailure | undefined;
  /** When it asked last, or began. */
  #askedMs: number;
  /** Its place in the nodes' queues, while that is refreshed. */
  #place: QueuedPlace | undefined;
  /** Nodes may have its place. */
  #isAtNodes = false;
  /** Nodes may have its deferred acquire, or have executed it. */
  #isDeferred = false;
  /** It has moved since it asked, or while an attempt with its former ticket was under way. */
  #isOutdated = false;

  constructor(context: Context, request: AcquireRequest, acquire: Waiting) {
    const { inbox } = context.waitQueues;
    this.#context = context;
    this.request = request;
    this.keys = request.keys;
    this.#askedMs = request.startedMs;
    this.#acquire = acquire;
    const ticket = request.ticket ?? context.waitQueues.ticket();
    this.ticket = ticket;
    // Of a set, the waiters for its names have one each.
    if (inbox !== undefined && this.keys.parts === undefined) {
      const { placePrefix } = this.keys.queue;
      const turn = turnMs(request.settings.nodeTimeoutMs);
      // With all properties: to add one to a copy takes V8 longer than all else here.
      this.waiter = { inbox: inbox.id, ticket, turnMs: turn, placePrefix, deferred: undefined };
      this.renewOwner();
    }
  }

  /** Refreshes leave a place as nodes know it: they learn of it when it asks. */
  move(byUs: number): void {
    this.ticket += byUs;
    if (this.waiter !== undefined) this.waiter = { ...this.waiter, ticket: this.ticket };
    this.#isOutdated = true;
    if (!this.isInPlace) return;
    this.leavePlace();
    this.on({ what: "heard" });
  }

  /** The ownerId under which it waited is over: another takes its place. */
  renewOwner(): Waiter | undefined {
    const { settings } = this.request;
    // What a node grants of its own accord has a fence.
    if (this.waiter === undefined || !this.keys.queue.isDeferred || !settings.fencing)
      return this.waiter;
    const { entropy, waitQueues } = this.#context;
    const deferred: DeferredAcquire = {
      ownerId: leaseOwnerIdOf(entropy.id(), waitQueues.inbox, settings),
      ttlMs: keyTtlMs(settings),
      marginMs: settings.clockStepMs,
      maxAgeMs: maxAgeMs(settings.ttlMs, usableForMs(settings)),
    };
    this.waiter = { ...this.waiter, deferred };
    return this.waiter;
  }

  /** Called by the wait queues: it is put into the nodes' queues, with its deferred acquire. */
  toSend(): Waiter | undefined {
    this.#isAtNodes = true;
    this.#isDeferred = true;
    return this.waiter;
  }

  /** Called by the wait queue: whether the grant is for it. */
  onNodeGrant(index: number, grant: NodeGrant): boolean {
    const { deferred } = this.waiter ?? {};
    const dated = deferred && this.#context.nodes[index]?.voteOf(grant, deferred.ownerId);
    if (dated !== undefined) this.#acquire.onNodeGrant(index, dated);
    return dated !== undefined;
  }

  /** Joins the wait queue. @param hasFailed it has made an attempt before */
  enter(hasFailed: boolean): void {
    const { waitQueue, isLetIn } = this.#context.waitQueues.enter(this.keys, this);
    this.#waitQueue = waitQueue;
    this.isLetIn = isLetIn && !hasFailed;
  }

  /** @param holder the lock that it got, if it got it */
  leave(holder: GrantedWaiter | undefined): void {
    const waitQueue = this.#waitQueue;
    if (waitQueue === undefined) return;
    const isReleased = holder === undefined && this.releasing !== undefined;
    this.#waitQueue = undefined;
    // A lock that was passed on to it: the nodes know nothing of this place.
    const isHeir = holder !== undefined && this.keys.queue.isDeferred && !this.#isAtNodes;
    const isNowhere = isReleased || isHeir;
    this.#context.waitQueues.leave(waitQueue, this, holder, isNowhere);
    if (isReleased) this.#endOwner();
  }

  /** The ownerId that is released on all nodes when it leaves without the lock. */
  get releasing(): string | undefined {
    return this.isFirst && this.#isDeferred ? this.waiter?.deferred?.ownerId : undefined;
  }

  /** Whoever is first now takes its place, where nodes may have its deferred acquire. */
  #endOwner(): void {
    const { waiter } = this;
    if (waiter === undefined || !this.#isDeferred) return;
    const own = this.renewOwner();
    const next = this.#context.waitQueues.of(this.keys)?.toSend();
    this.#end(waiter, next);
    this.#isDeferred = next === own;
  }

  /** @param next who goes on in its place */
  #end(waiter: Waiter, next: Waiter | undefined): void {
    const { keys, request } = this;
    if (waiter.deferred === undefined || !this.#isDeferred) return;
    rollback(this.#context, {
      keys,
      ownerId: waiter.deferred.ownerId,
      settings: request.settings,
      mayHold: ALL_NODES,
      waiter: next,
      place: waiter,
    });
  }

  /**
   * A request of this process steals the name: nodes must not have given it to this one before, nor give it to it until
   * it has asked again. It goes on waiting.
   */
  yield(): void {
    const { waiter } = this;
    if (waiter === undefined || this.#acquire.attempt?.isAsking === true) return;
    this.renewOwner();
    this.#end(waiter, { ...waiter, deferred: undefined });
    this.#isDeferred = false;
  }

  get isFirst(): boolean {
    return this.#waitQueue?.first === this;
  }

  /** The wait queue, if its notifications are for this acquire, that is, if it is first in line. */
  get turns(): WaitQueue | undefined {
    return this.isFirst ? this.#waitQueue : undefined;
  }

  /** A quorum of nodes has notified us since the last attempt. */
  get isItsTurn(): boolean {
    return this.#waitQueue?.isOurTurn === true;
  }

  /** Its place is refreshed, and the refreshes say when to ask. */
  get isInPlace(): boolean {
    return this.#place !== undefined;
  }

  /**
   * How the lock was last refused since this acquire began, to it or to others in its wait queue. What others were told
   * says nothing to an owner: the holder that they wait for may be that owner.
   */
  get knownFailure(): AttemptFailure | undefined {
    if (this.keys.joinOnly !== undefined) return this.#ownFailure;
    return this.#waitQueue?.failures.findFor(this.request, this.#askedMs) ?? this.#ownFailure;
  }

  /** Its own attempt, before it entered the wait queue or since. @param sentMs lease clock: others may know more since */
  remember(failure: AttemptFailure, sentMs: number): void {
    this.#ownFailure = failure;
    this.#askedMs = sentMs;
  }

  /**
   * It asks again later. Nobody waits for what only the first asks of the nodes, such as answers that are faster than
   * theirs: while that cannot be had, nobody would get the name. A `fair` one lets nobody pass.
   *
   * @param restUntilMs until when others may ask before it, lease clock
   */
  letPass(failure: AttemptFailure, restUntilMs: () => number): void {
    this.isLetIn = false;
    const { turns } = this;
    const isContended = failure.kind === "refused" || failure.kind === "split";
    const mayPass = !isContended && !this.request.wait.fair;
    if (mayPass && turns?.letPass(this, restUntilMs(), failure) === true) this.#onPassed(turns);
  }

  #onPassed(waitQueue: WaitQueue): void {
    this.#context.waitQueues.onPassed(waitQueue, this);
    this.#endOwner();
  }

  /** Until then others may ask before it; undefined if it does not rest. */
  get restsUntilMs(): number | undefined {
    return this.rest?.untilMs;
  }

  /** It asks: nobody passes it any more. */
  endRest(): void {
    if (this.isFirst) this.rest = undefined;
  }

  mayAskInTurn(nowMs: number): boolean {
    return this.#turnTries?.allows(nowMs) !== false;
  }

  /** It asks because it was notified. */
  takeTurn(nowMs: number): void {
    this.#turnTries ??= new Allowance(MAX_TURN_TRIES_A_SECOND);
    this.#turnTries.take(nowMs);
  }

  /** It asks, with its place: notifications received so far no longer count. @returns whether they were a quorum's */
  forgetTurns(): boolean {
    const { turns } = this;
    const isCalled = turns?.isOurTurn === true;
    turns?.forgetTurns();
    this.isTurnSeen = false;
    this.#isAtNodes = true;
    this.#isDeferred = true;
    this.#isOutdated = false;
    return isCalled;
  }

  /** Lets its place be refreshed, if it has one, and nodes have its ticket. */
  keepPlace(): void {
    const { keys, waiter } = this;
    if (waiter === undefined) return;
    if (this.#isOutdated) return this.on({ what: "heard" });
    const { nodeTimeoutMs } = this.request.settings;
    const onLook: QueuedPlace["onLook"] = (quorumFreeInMs, nowMs) =>
      this.#acquire.on({ what: "looked", quorumFreeInMs }, nowMs);
    // With all properties, as above.
    const told = { group: undefined, toldFreeAtMs: undefined };
    this.#place = { keys, waiter, nodeTimeoutMs, onLook, ...told };
    this.#context.waitQueues.places?.add(this.#place);
  }

  /** Earlier answers to refreshes are outdated. Its attempts keep its place. */
  leavePlace(): void {
    if (this.#place !== undefined) this.#context.waitQueues.places?.delete(this.#place);
    this.#place = undefined;
  }

  /** Called by the wait queue. */
  on(happened: Happened): void {
    const { attempt } = this.#acquire;
    // It may wake sooner for that: the next look has to say again that the name is still held.
    if (this.#place !== undefined) this.#place.toldFreeAtMs = undefined;
    if (happened.what === "reader" && attempt === undefined) this.isLetIn = true;
    if (happened.what === "passed" && this.#waitQueue) {
      this.leavePlace();
      this.#onPassed(this.#waitQueue);
    }
    if (happened.what === "turn" && happened.isQuorum && attempt !== undefined) {
      const nowMs = this.#context.clock.now();
      if (attempt.hurry(nowMs, this.mayAskInTurn(nowMs))) this.takeTurn(nowMs);
    }
    this.#acquire.on(happened);
  }

  /** Read by the wait queue. */
  get isAboutToAsk(): boolean {
    const { attempt } = this.#acquire;
    return attempt?.hasBegun === false && !attempt.isJoiner && (this.isFirst || this.isLetIn);
  }

  /** Read by the wait queues. */
  get isAsking(): boolean {
    const { attempt } = this.#acquire;
    return attempt?.isAsking === true && !attempt.isJoiner;
  }

  /** Called by the wait queue. */
  isReady(settings: LeaseSettings, nowMs: number): boolean {
    const isUnknown = !this.#isAtNodes && this.#acquire.attempt?.isAsking !== true;
    const isLike = this.keys.queue.passesOn && isSame(this.request.settings, settings);
    return isUnknown && isLike && nowMs <= this.request.deadlineMs;
  }

  /** Called by the lease that is released. */
  receive(lease: Lease): void {
    this.#acquire.receive(lease);
  }
}
