import type { LockKind } from "../protocol/lock-kind.js";
import { mayHandOver, type Run } from "../protocol/hand-over-run.js";
import type { Operation } from "../protocol/operation.js";
import type { Waiter } from "../protocol/waiter.js";
import { Allowance } from "./allowance.js";
import { admits, WaitQueue, type QueueMember } from "./wait-queue.js";
import { NOBODY, type Clock, type InboxPort, type NodePort } from "./ports.js";
import { Places } from "./places.js";
import { ContendedNames } from "./contended-names.js";
import type { Observer } from "./observer.js";
import type { Schedule } from "./schedule.js";
import { LocalSlots } from "./local-slots.js";

/** A lock that one of a wait queue has got. */
export interface GrantedWaiter {
  readonly keys: LockKind;
  /** Another node says that it is our turn. */
  takeTurn(index: number, waiter: Waiter): void;
}

/** Turns at names that nobody here wants, all nodes together. */
export const MAX_PASSED_BACK_A_SECOND = 256;

/**
 * All wait queues of a process. Between processes the nodes keep a queue a name: a process stands in it
 * for the first of its wait queue, and is woken through its inbox when it is its turn.
 */
export class WaitQueues {
  readonly inbox: InboxPort | undefined;
  /** Undefined where nobody stands in the nodes' queues. */
  readonly places: Places | undefined;
  readonly slots = new LocalSlots();
  readonly contended = new ContendedNames();
  readonly #nodes: readonly NodePort[];
  readonly #clock: Clock;
  readonly #waitQueues = new Map<string, WaitQueue>();
  /** Locks that were waited for, by lock key, permits by slot. */
  readonly #holders = new Map<string, GrantedWaiter>();
  readonly #passedBack = new Allowance(MAX_PASSED_BACK_A_SECOND);
  #lastTicket = 0;
  readonly #observer: Observer | undefined;

  /** @param inbox undefined where nobody is woken: then those who wait look again by themselves */
  constructor(
    nodes: readonly NodePort[],
    clock: Clock,
    schedule: Schedule,
    inbox: InboxPort | undefined,
    observer?: Observer,
  ) {
    this.#observer = observer;
    this.#nodes = nodes;
    this.#clock = clock;
    this.inbox = inbox;
    if (inbox !== undefined) this.places = new Places(nodes, clock, schedule, inbox.id);
  }

  /** How many wait, by wait queue. */
  *sizes(): Iterable<{ readonly keys: LockKind; readonly size: number }> {
    for (const { keys, size } of this.#waitQueues.values()) yield { keys, size };
  }

  of(keys: LockKind): WaitQueue | undefined {
    return this.#waitQueues.size === 0 ? undefined : this.#waitQueues.get(keys.waitQueueKey);
  }

  /** To whom a lock of ours may go without a release; undefined if the nodes have to choose. */
  successorOf(keys: LockKind, run: Run, nowMs: number): QueueMember | undefined {
    const first = this.of(keys)?.first;
    const ticket = first?.waiter?.ticket;
    if (first === undefined || ticket === undefined) return undefined;
    return mayHandOver(run, ticket, nowMs) && first.isReady(nowMs) ? first : undefined;
  }

  /** Whom a release of ours puts into the queue, so that it is told when it is its turn. */
  nextOf(keys: LockKind): Waiter | undefined {
    return this.of(keys)?.first?.waiter;
  }

  enter(keys: LockKind, member: QueueMember): WaitQueue {
    const { waitQueueKey } = keys;
    let waitQueue = this.#waitQueues.get(waitQueueKey);
    if (waitQueue === undefined) {
      waitQueue = new WaitQueue(keys);
      this.#waitQueues.set(waitQueueKey, waitQueue);
    }
    waitQueue.add(member);
    this.#observer?.onWaiting?.(member.keys, waitQueue.size, 1);
    this.inbox?.listen();
    return waitQueue;
  }

  /** @param holder the lock that it got, if it got it */
  leave(waitQueue: WaitQueue, member: QueueMember, holder: GrantedWaiter | undefined): void {
    if (holder !== undefined) this.#holders.set(holder.keys.holderKey, holder);
    const wasFirst = waitQueue.first === member;
    // Who wants a permit need not wait for the one that was given: there may be more.
    const slot = holder?.keys.slots?.slot;
    waitQueue.remove(member, holder !== undefined && slot === undefined);
    this.#observer?.onWaiting?.(member.keys, waitQueue.size, -1);
    const { first } = waitQueue;
    if (first === undefined) {
      this.#waitQueues.delete(waitQueue.keys.waitQueueKey);
      this.#passOn(waitQueue);
    } else if (slot !== undefined) waitQueue.forgetSlot(slot);
    const { waiter } = member;
    if (holder !== undefined || waiter === undefined) return;
    // A reader does not stand in the queue as a writer does, nor the other way round.
    const isLeft = first === undefined || (wasFirst && admits(first) !== admits(member));
    if (!isLeft) return;
    const place = { ...waiter, placePrefix: waitQueue.keys.queue.leavePrefix };
    this.leaveQueues(waitQueue.keys, place);
  }

  /** What nodes keep for a wait queue that is gone. */
  #passOn(waitQueue: WaitQueue): void {
    const { slots, queue } = waitQueue.keys;
    if (slots === undefined) return;
    const inbox = this.inbox?.id ?? "";
    for (const { index, slot, turnMs } of waitQueue.unwantedTurns(this.#clock.now())) {
      const keys = slots.at(slot);
      const waiter = { inbox, ticket: 0, turnMs, placePrefix: queue.placePrefix };
      const holder = this.#holders.get(keys.holderKey);
      if (holder === undefined) this.#sendLeave(index, keys, waiter);
      else holder.takeTurn(index, waiter);
    }
  }

  /** A lock is held no more. */
  onEnd(holder: GrantedWaiter): void {
    this.slots.delete(holder.keys);
    if (this.#holders.size === 0) return;
    const { holderKey } = holder.keys;
    if (this.#holders.get(holderKey) === holder) this.#holders.delete(holderKey);
  }

  /** The name stays closed, and nobody of us stands in its queue: whoever is next finds out for how long. */
  lookAgain(keys: LockKind): void {
    this.of(keys)?.first?.onFirst(false);
  }

  /** The latest place that was given. */
  get lastTicket(): number {
    return this.#lastTicket;
  }

  /** A place in the queue: later than all that were given before. */
  ticket(): number {
    this.#lastTicket = Math.max(this.#lastTicket + 1, this.#clock.wallUs());
    return this.#lastTicket;
  }

  /**
   * A node says that it is this process's turn. If nobody wants it any more it is passed on, as often as
   * that can be by rights: anybody who may publish can write such messages.
   *
   * @param keys what the node keeps for it: a name, or a slot of one
   */
  onTurn(index: number, keys: LockKind, turnMs: number): void {
    if (this.inbox === undefined) return;
    const waiter = { inbox: this.inbox.id, ticket: 0, turnMs };
    const untilMs = this.#clock.now() + turnMs;
    const holder = this.#holders.get(keys.holderKey);
    const waitQueue = this.of(keys);
    // A reader has it on that node already, or as good as: then others of its process can have it.
    const isForWaitQueue = waitQueue !== undefined && (holder === undefined || admits(holder));
    if (isForWaitQueue) waitQueue.onTurn(index, this.#nodes.length, keys.slots?.slot, untilMs);
    else if (holder !== undefined) holder.takeTurn(index, waiter);
    else this.#passBack(index, keys, { ...waiter, placePrefix: keys.queue.placePrefix });
  }

  /** Nobody here wants the turn. One that is not passed on runs out by itself. */
  #passBack(index: number, keys: LockKind, waiter: Waiter): void {
    if (this.#passedBack.take(this.#clock.now())) this.#sendLeave(index, keys, waiter);
  }

  /** A quorum of nodes reaches the inbox now: whoever contends may have missed its turn. */
  onHeard(): void {
    this.places?.hurry();
    for (const waitQueue of this.#waitQueues.values()) waitQueue.first?.onHeard();
  }

  /** Out of the queues of all nodes, which pass on what they keep for it. */
  leaveQueues(keys: LockKind, waiter: Waiter): void {
    for (let index = 0; index < this.#nodes.length; index++) this.#sendLeave(index, keys, waiter);
  }

  #sendLeave(index: number, keys: LockKind, waiter: Waiter): void {
    const operation: Operation = {
      kind: "leave",
      keys,
      ownerId: waiter.inbox,
      ttlMs: waiter.turnMs,
      fence: undefined,
      sendBeforeMs: Number.POSITIVE_INFINITY,
      waiter,
      wire: undefined,
    };
    this.#nodes[index]?.submit(operation, NOBODY, false);
  }
}
