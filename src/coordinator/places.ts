import { nodesThatDidNotGrant, quorumFreeInMs, quorumSize } from "../protocol/quorum.js";
import { newOperation, type Vote, type Votes } from "../protocol/operation.js";
import {
  isSamePlace,
  refreshPace,
  turnTextOf,
  type Looks,
  type Place,
  type Waiter,
} from "../protocol/node-queue.js";
import { LinkedSet, type Linkable } from "./linked-set.js";
import type { Clock, NodePort, VoteReceiver } from "./ports.js";
import type { Schedule, Sleeper } from "./schedule.js";
import type { LockKind } from "../protocol/lock-kind.js";

/** An acquire in the nodes' queues whose place is refreshed. */
export interface QueuedPlace extends Place, Linkable {
  /** How long to wait for the answers, ms. */
  readonly nodeTimeoutMs: number;
  /**
   * What the nodes said: when a quorum can be free, by release or by expiry alone, ms from now;
   * undefined if no quorum answered.
   */
  onLook(quorumFreeInMs: number | undefined, nowMs: number): void;
}

/**
 * The places of this process in the nodes' queues. Each is a lease and is refreshed while it is needed, many
 * in one operation, so the cost of waiting is bounded. The answers say what an attempt would find out, at a fraction
 * of its cost.
 */
export class Places implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;

  readonly #nodes: readonly NodePort[];
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #inbox: string;
  /** Least recently refreshed first. */
  readonly #places = new LinkedSet<QueuedPlace>();

  constructor(nodes: readonly NodePort[], clock: Clock, schedule: Schedule, inbox: string) {
    this.#nodes = nodes;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#inbox = inbox;
  }

  get size(): number {
    return this.#places.size;
  }

  /** It has just entered the queues. A waiter that re-enters gets a new place. */
  add(place: QueuedPlace): void {
    this.#places.add(place);
    this.#schedulePass();
  }

  /** Answers still to come about it no longer count. */
  delete(place: QueuedPlace): void {
    this.#places.delete(place);
    if (this.#places.size === 0) this.#schedule.remove(this);
  }

  has(place: QueuedPlace): boolean {
    return this.#places.has(place);
  }

  /** Messages may have been missed: refreshes immediately. */
  hurry(): void {
    if (this.#places.size > 0) this.#schedule.set(this, this.#clock.now());
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    const { count } = refreshPace(this.#places.size);
    const places: QueuedPlace[] = [];
    for (const place of this.#places) {
      if (places.length === count) break;
      places.push(place);
      this.#places.delete(place);
      this.#places.add(place);
    }
    const refresh = new Refresh(this, places, this.#nodes, this.#clock, this.#schedule);
    refresh.send(this.#inbox, nowMs);
    this.#schedulePass();
  }

  /** Never later than planned: other places that come and go must not postpone it. */
  #schedulePass(): void {
    if (this.#places.size === 0) return;
    const dueMs = this.#clock.now() + refreshPace(this.#places.size).pauseMs;
    if (this.heapIndex === -1 || this.wakeAtMs > dueMs) this.#schedule.set(this, dueMs);
  }
}

/** One refresh of some places on all nodes. */
class Refresh implements VoteReceiver, Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  readonly graceMs = 1;

  readonly #owner: Places;
  readonly #places: readonly QueuedPlace[];
  readonly #nodes: readonly NodePort[];
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  /** By node: its answer, when it arrived, and how long ago that was at the end. */
  readonly #heard: ({ readonly looks: Looks; readonly atMs: number; ageMs: number } | undefined)[];
  #heardCount = 0;
  #leftCount: number;
  #unaskedCount = 0;

  constructor(
    owner: Places,
    places: readonly QueuedPlace[],
    nodes: readonly NodePort[],
    clock: Clock,
    schedule: Schedule,
  ) {
    this.#owner = owner;
    this.#places = places;
    this.#nodes = nodes;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#heard = Array.from({ length: nodes.length });
    this.#leftCount = nodes.length;
  }

  send(inbox: string, nowMs: number): void {
    const places = this.#places;
    const [first] = places;
    if (first === undefined) return;
    const untilMs = nowMs + Math.max(...places.map(({ nodeTimeoutMs }) => nodeTimeoutMs));
    const { keys } = first;
    const refresh = { keys, ownerId: inbox, sendBeforeMs: untilMs, places };
    const operation = newOperation("refresh", refresh);
    this.#schedule.set(this, untilMs);
    for (const node of this.#nodes) node.submit(operation, this, false);
  }

  /** Called by the nodes. */
  onVote(index: number, vote: Vote): void {
    if (this.#leftCount === 0) return;
    if (vote.kind === "fault" && vote.fault === "late") this.#unaskedCount++;
    const nowMs = this.#clock.now();
    if (vote.kind === "granted" && vote.looks !== undefined) {
      this.#heard[index] = { looks: vote.looks, atMs: nowMs, ageMs: 0 };
      this.#heardCount++;
    }
    if (--this.#leftCount === 0) this.#end(nowMs);
  }

  /** Called by the schedule at the deadline. */
  wake(nowMs: number): void {
    this.#end(nowMs);
  }

  #end(nowMs: number): void {
    this.#leftCount = 0;
    this.#schedule.remove(this);
    const quorum = quorumSize(this.#nodes.length);
    const isQuorum = this.#heardCount >= quorum;
    // A node that this process was too busy to ask says nothing; the next refresh does.
    if (!isQuorum && this.#heardCount + this.#unaskedCount >= quorum) return;
    // Computed once for all places: there are many.
    const blockedMs: number[] = [];
    for (const said of this.#heard) {
      if (said !== undefined) said.ageMs = nowMs - said.atMs;
      blockedMs.push(Number.POSITIVE_INFINITY);
    }
    for (let at = 0; at < this.#places.length; at++) {
      const place = this.#places[at] as QueuedPlace;
      // A waiter that has asked meanwhile has a newer answer.
      if (!this.#owner.has(place)) continue;
      for (let index = 0; index < blockedMs.length; index++) {
        const said = this.#heard[index];
        const ms = said?.looks.blockedMs[at] ?? Number.POSITIVE_INFINITY;
        blockedMs[index] = Math.max(0, ms - (said?.ageMs ?? 0));
      }
      place.onLook(isQuorum ? quorumFreeInMs(blockedMs) : undefined, nowMs);
    }
  }
}

/** A place of this process: readers that hold a name beside each other have one. */
interface HeldPlace {
  readonly id: string;
  readonly waiter: Waiter;
  lockCount: number;
  /** Bit mask of the nodes where it may still stand after the locks that have ended. */
  nodes: number;
}

/** What one lock has to do with such a place: a node that grants its acquire takes it out of the queue. */
export class PlaceOfLock {
  readonly place: HeldPlace;
  /** Bit mask of the nodes of whose grant nothing is known. */
  #notGranted: number;
  /** Those that were asked, and have not answered that they grant it. */
  #askedInVain: number;

  constructor(place: HeldPlace, notGranted: number, askedInVain: number) {
    this.place = place;
    this.#notGranted = notGranted;
    this.#askedInVain = askedInVain;
  }

  /**
   * Bit mask of the nodes in whose queue it may stand. A message may tell of a grant that was over when the acquire
   * arrived there, and entered the queue again.
   */
  get nodes(): number {
    return this.#notGranted | this.#askedInVain;
  }

  /** A message: the node has executed the deferred acquire. */
  onNodeGrant(index: number): void {
    this.#notGranted &= ~(1 << index);
  }

  /** The node answers only now: it has granted the acquire. */
  onAnswer(index: number): void {
    this.#notGranted &= ~(1 << index);
    this.#askedInVain &= ~(1 << index);
  }
}

/**
 * The places that locks of this process still have in the nodes' queues: a node that refused the acquire of a waiter
 * has put it there. While the lock is held, that node notifies it once it can hold the name there, too. After that the
 * place would only keep others waiting: readers, and whoever is next.
 */
export class HeldPlaces {
  readonly #places = new Map<string, HeldPlace>();

  /**
   * Of a lock that was waited for.
   *
   * @param votes on its acquire, so far
   * @param askedInVain bit mask of the nodes that were asked, and have not answered that they grant it
   */
  add({ waitQueueKey }: LockKind, waiter: Waiter, votes: Votes, askedInVain: number): PlaceOfLock {
    const id = `${turnTextOf(waiter)}:${waitQueueKey}`;
    const place = this.#places.get(id) ?? { id, waiter, lockCount: 0, nodes: 0 };
    place.lockCount++;
    this.#places.set(id, place);
    return new PlaceOfLock(place, nodesThatDidNotGrant(votes), askedInVain);
  }

  /**
   * The lock is no longer held.
   *
   * @param next waits here: where it has the same place, that is still needed
   * @returns its place, if nobody needs it any more
   */
  end({ place, nodes }: PlaceOfLock, next: Waiter | undefined): HeldPlace | undefined {
    place.nodes |= nodes;
    if (--place.lockCount > 0) return undefined;
    this.#places.delete(place.id);
    return next !== undefined && isSamePlace(next, place.waiter) ? undefined : place;
  }
}
