import type { KeysInProcess, LockKind } from "../protocol/lock-kind.js";
import { ALL_NODES } from "../protocol/quorum.js";
import { newOperation } from "../protocol/operation.js";
import type { NodeGrant } from "../protocol/node-messages.js";
import { isSamePlace, type Waiter } from "../protocol/node-queue.js";
import { Allowance } from "./allowance.js";
import { admits, isPart, WaitQueue, type GrantedWaiter, type QueueMember } from "./wait-queue.js";
import { NOBODY, type Clock, type InboxPort, type NodePort } from "./ports.js";
import { HeldPlaces, Places } from "./places.js";
import type { Observer } from "./observer.js";
import type { Schedule } from "./schedule.js";
import { LocalPermits } from "./local-permits.js";

/** Limit for notifications of names that nobody here wants, over all nodes. */
export const MAX_PASSED_BACK_A_SECOND = 256;

/** How many names are remembered. */
export const MAX_CONTENDED_NAMES = 1_024;

/** How long a name is remembered after its last grant or refusal, ms. */
export const CONTENDED_MS = 5_000;

/**
 * Names that other clients wanted recently. An acquire for one of them enters the nodes' queues with its first
 * attempt: as a newcomer it would be refused, rolled back, and have to ask again for its place. If nobody wants the
 * name any more, that attempt is granted and the name is dropped from here.
 */
export class ContendedNames {
  /** By wait queue, lease clock, ms; the most recently seen is last. */
  readonly #untilMs = new Map<string, number>();

  /** It was granted. @param isContended other clients want the name, or held it */
  onGranted({ waitQueueKey, queue }: LockKind, isContended: boolean, nowMs: number): void {
    if (this.#untilMs.size > 0) this.#untilMs.delete(waitQueueKey);
    // A first refusal says little where locks are shared, and a set is in no queue.
    if (!isContended || !queue.rejoins || queue.admitsOthers) return;
    this.#untilMs.set(waitQueueKey, nowMs + CONTENDED_MS);
    if (this.#untilMs.size <= MAX_CONTENDED_NAMES) return;
    const [oldest = waitQueueKey] = this.#untilMs.keys();
    this.#untilMs.delete(oldest);
  }

  has({ waitQueueKey }: LockKind, nowMs: number): boolean {
    if (this.#untilMs.size === 0) return false;
    return nowMs < (this.#untilMs.get(waitQueueKey) ?? Number.NEGATIVE_INFINITY);
  }
}

/**
 * All wait queues of a process. Between processes, each node keeps one queue per name: a process enters it for the
 * first acquire of its wait queue, and is notified through its inbox.
 */
export class WaitQueues {
  readonly inbox: InboxPort | undefined;
  /** Undefined where no acquire enters the nodes' queues. */
  readonly places: Places | undefined;
  readonly permits = new LocalPermits();
  readonly contended = new ContendedNames();
  readonly heldPlaces = new HeldPlaces();
  readonly #nodes: readonly NodePort[];
  readonly #clock: Clock;
  readonly #orderUs: () => number;
  readonly #waitQueues = new Map<string, WaitQueue>();
  /** Locks that were waited for, by lock key, permits by permit. */
  readonly #holders = new Map<string, GrantedWaiter>();
  /** The last place that was assigned. */
  lastTicket = 0;
  /** Of the messages by which nodes have granted locks, see `protocol/node-messages`. */
  spreadMs: number | undefined;
  readonly #passedBack = new Allowance(MAX_PASSED_BACK_A_SECOND);
  readonly #observer: Observer | undefined;

  /**
   * @param orderUs the time of day by which waiters of all processes are in order, µs
   * @param inbox undefined where there are no notifications: then waiters poll
   */
  constructor(
    nodes: readonly NodePort[],
    clock: Clock,
    orderUs: () => number,
    schedule: Schedule,
    inbox: InboxPort | undefined,
    observer?: Observer,
  ) {
    this.#observer = observer;
    this.#nodes = nodes;
    this.#clock = clock;
    this.#orderUs = orderUs;
    this.inbox = inbox;
    if (inbox !== undefined) this.places = new Places(nodes, clock, schedule, inbox.id);
  }

  /** Number of waiting acquires, by wait queue. */
  *sizes(): Iterable<{ readonly keys: LockKind; readonly size: number }> {
    for (const { keys, count: size } of this.#waitQueues.values())
      if (size > 0) yield { keys, size };
  }

  of(keys: Pick<KeysInProcess, "waitQueueKey">): WaitQueue | undefined {
    return this.#waitQueues.size === 0 ? undefined : this.#waitQueues.get(keys.waitQueueKey);
  }

  /** @returns its wait queue, and whether it may ask beside those ahead of it */
  enter(keys: LockKind, member: QueueMember): { waitQueue: WaitQueue; isLetIn: boolean } {
    const { waitQueueKey } = keys;
    let waitQueue = this.#waitQueues.get(waitQueueKey);
    if (waitQueue === undefined) {
      waitQueue = new WaitQueue(keys, this.#nodes.length);
      this.#waitQueues.set(waitQueueKey, waitQueue);
    }
    const isLetIn = waitQueue.append(member, this.#clock.now());
    if (!isPart(member)) this.#observer?.onWaiting?.(member.keys, waitQueue.count, 1);
    this.inbox?.listen();
    return { waitQueue, isLetIn };
  }

  /**
   * @param holder the lock that was granted, if it was
   * @param isNowhere it stands in no node's queue, or its place is left with the release of what it has deferred, unless
   *   others go on with it
   */
  leave(
    waitQueue: WaitQueue,
    member: QueueMember,
    holder: GrantedWaiter | undefined,
    isNowhere: boolean,
  ): void {
    if (holder !== undefined) this.#holders.set(holder.keys.holderKey, holder);
    const wasFirst = waitQueue.first === member;
    // A waiter for a permit need not wait for the granted one: others may be free.
    const numbers = holder?.keys.permits?.numbers;
    waitQueue.remove(member, holder !== undefined && numbers === undefined);
    if (!isPart(member)) this.#observer?.onWaiting?.(member.keys, waitQueue.count, -1);
    const { first } = waitQueue;
    if (first === undefined) {
      this.#waitQueues.delete(waitQueue.keys.waitQueueKey);
      this.#passOn(waitQueue);
    } else if (waitQueue.reservations !== undefined) {
      // What other nodes reserve of them was for it, too.
      if (numbers !== undefined) waitQueue.reservations.delete(numbers);
      // What is reserved besides is too little for those who still wait; nobody is told when that ends.
      if (wasFirst && !waitQueue.isOurTurn) this.#passOn(waitQueue);
    }
    const { waiter } = member;
    // A lock keeps its place until it ends, or its attempt leaves it; one that its owner let in had none.
    const isLeftTo = holder?.place !== undefined || holder?.keys.queue.keepsPlace === false;
    if (waiter === undefined || isLeftTo) return;
    if (first === undefined ? !isNowhere : wasFirst && !hasPlace(first, waiter))
      this.#leavePlace(member.keys, waiter);
  }

  /** It waits no more. Where another has the same place, that is still needed. @param nodes bit mask */
  leaveNodes(keys: LockKind, waiter: Waiter, nodes: number): void {
    if (!hasPlace(this.of(keys)?.first, waiter)) this.#leavePlace(keys, waiter, nodes);
  }

  /** Another is first now in its place. */
  onPassed(waitQueue: WaitQueue, { keys, waiter }: QueueMember): void {
    // Where that one has the same place, nodes that have notified us keep the name for it.
    if (waiter === undefined || hasPlace(waitQueue.first, waiter)) return;
    waitQueue.forgetTurns();
    this.#leavePlace(keys, waiter);
  }

  #leavePlace(keys: LockKind, waiter: Waiter, nodes = ALL_NODES): void {
    const { leavePrefix: placePrefix } = keys.queue;
    this.#leave(keys, { ...waiter, placePrefix, deferred: undefined }, nodes);
  }

  /** What nodes reserve for a wait queue in which nobody can use it now. */
  #passOn({ keys: { permits }, reservations }: WaitQueue): void {
    if (permits === undefined || reservations === undefined) return;
    const inbox = this.inbox?.id ?? "";
    for (const { index, permits: numbers, turnMs } of reservations.drain(this.#clock.now())) {
      const keys = permits.at(numbers);
      const waiter = { inbox, ticket: 0, turnMs, placePrefix: keys.queue.placePrefix };
      const holder = this.#holderOf(keys);
      if (holder === undefined) this.#leave(keys, waiter, 1 << index);
      else holder.takeTurn(index, waiter);
    }
  }

  /** A lock is no longer held. @param isReleased its release is or was sent to all nodes */
  onEnd(holder: GrantedWaiter, isReleased: boolean): void {
    const { keys, place } = holder;
    if (keys.permits !== undefined) this.permits.delete(keys);
    // Before the release, which would notify it where it stands first.
    if (place !== undefined) {
      const next = this.of(keys)?.first?.waiter;
      // With what is deferred there, a release leaves the place, if nobody goes on in it.
      const isLeft = isReleased && keys.queue.isDeferred && next === undefined;
      const last = this.heldPlaces.end(place, next);
      if (last !== undefined && !isLeft) {
        // A release of ours may have left it again where it had been granted before.
        const nodes = holder.isGiven ? ALL_NODES : last.nodes;
        this.#leavePlace(keys, last.waiter, nodes);
      }
    }
    if (this.#holders.size === 0) return;
    const { holderKey } = keys;
    if (this.#holders.get(holderKey) === holder) this.#holders.delete(holderKey);
  }

  /** The name stays closed, and none of our waiters is in its queue: the next one finds out for how long. */
  lookAgain(keys: LockKind): void {
    this.of(keys)?.first?.on({ what: "first", isHeldHere: false });
  }

  /** A place in the queue: later than all assigned before. */
  ticket(): number {
    this.lastTicket = Math.max(this.lastTicket + 1, this.#orderUs());
    return this.lastTicket;
  }

  /** The clock by which tickets were assigned was wrong by so much, µs. */
  move(byUs: number): void {
    // Below 0: the last would be ahead of its time. Otherwise the clock may have been set wrong after it was assigned.
    const leftUs = this.#orderUs() - this.lastTicket;
    const isAhead = leftUs < 0;
    if (isAhead === byUs > 0) return;
    const movedUs = isAhead ? byUs : Math.min(byUs, leftUs);
    this.lastTicket += movedUs;
    for (const waitQueue of this.#waitQueues.values())
      for (const member of waitQueue) member.move(movedUs);
  }

  /**
   * A node has notified this process. If nobody here wants the name any more, the notification is passed on, up to a
   * limit: anybody who may publish can write such messages.
   *
   * @param keys what the node reserves: a name, or permits of one
   */
  onTurn(index: number, keys: LockKind, turnMs: number): void {
    if (this.inbox === undefined) return;
    const { placePrefix } = keys.queue;
    const waiter = { inbox: this.inbox.id, ticket: 0, turnMs, placePrefix };
    const untilMs = this.#clock.now() + turnMs;
    const holder = this.#holderOf(keys);
    const waitQueue = this.of(keys);
    // A reader holds the lock on that node already, or soon will, so others of its process can join. And a lock of the
    // whole name did not wait for a permit.
    const isHolders = holder?.keys.waitQueueKey === keys.waitQueueKey && !admits(holder);
    if (waitQueue !== undefined && !isHolders)
      waitQueue.onTurn(index, keys.permits?.numbers, untilMs);
    else if (holder !== undefined) holder.takeTurn(index, waiter);
    // If it is not passed on, it expires.
    else if (this.#passedBack.take(this.#clock.now())) this.#leave(keys, waiter, 1 << index);
  }

  /** A node has executed the deferred acquire of the first waiter, or of a lock that others have granted before. */
  onGrant(index: number, keys: KeysInProcess, grant: NodeGrant): void {
    const isWaiters = this.of(keys)?.onGrant(index, grant) === true;
    if (!isWaiters) this.#holderOf(keys)?.onNodeGrant(index, grant);
  }

  /** The lock of ours that the nodes may mean. After a suspend, messages can arrive before the loss timer. */
  #holderOf({ holderKey }: Pick<KeysInProcess, "holderKey">): GrantedWaiter | undefined {
    const holder = this.#holders.get(holderKey);
    return holder?.isHeld() === true ? holder : undefined;
  }

  /** A quorum of nodes reaches the inbox now: contenders may have missed a notification. */
  onHeard(): void {
    this.places?.hurry();
    for (const waitQueue of this.#waitQueues.values()) waitQueue.first?.on({ what: "heard" });
  }

  /** Leaves the queues of these nodes, which pass on what they reserve for it. @param nodes bit mask */
  #leave(keys: LockKind, waiter: Waiter, nodes: number): void {
    const sendBeforeMs = Number.POSITIVE_INFINITY;
    const leave = newOperation("leave", { keys, ownerId: waiter.inbox, sendBeforeMs, waiter });
    for (let index = 0; index < this.#nodes.length; index++)
      if (nodes & (1 << index)) this.#nodes[index]?.submit(leave, NOBODY, false);
  }
}

function hasPlace(member: QueueMember | undefined, place: Waiter): boolean {
  return member?.waiter !== undefined && isSamePlace(member.waiter, place);
}
