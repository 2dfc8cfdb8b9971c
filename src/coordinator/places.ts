import { nodesThatDidNotGrant, quorumFreeInMs, quorumSize } from "../protocol/quorum.js";
import { newOperation, type OperationOf, type Vote, type Votes } from "../protocol/operation.js";
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
export interface QueuedPlace extends Place {
  /** How long to wait for the answers, ms. */
  readonly nodeTimeoutMs: number;
  /** Where it is refreshed; undefined: it is not. Owned by the places. */
  group?: Group | undefined;
  /**
   * When a quorum can be free, as it was told last, lease clock, ms. Undefined: it was not told, or has heard something
   * else since.
   */
  toldFreeAtMs?: number | undefined;
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
  readonly #groups = new LinkedSet<Group>();
  size = 0;

  constructor(nodes: readonly NodePort[], clock: Clock, schedule: Schedule, inbox: string) {
    this.#nodes = nodes;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#inbox = inbox;
  }

  /** It has just entered the queues. A waiter that re-enters gets a new place. */
  add(place: QueuedPlace): void {
    const { last } = this.#groups;
    const group = last?.wasSent === false ? last : new Group();
    group.add(place);
    this.#groups.add(group);
    this.size++;
    this.#schedulePass(refreshPace(this.size).pauseMs);
  }

  /** Answers still to come about it no longer count. */
  delete(place: QueuedPlace): void {
    const { group } = place;
    if (group === undefined) return;
    group.delete(place);
    if (group.size === 0) this.#groups.delete(group);
    if (--this.size === 0) this.#schedule.remove(this);
  }

  /** Messages may have been missed: refreshes immediately. */
  hurry(): void {
    if (this.size > 0) this.#schedule.set(this, this.#clock.now());
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    const { count, leastCount, pauseMs } = refreshPace(this.size);
    const group = this.#next(count, leastCount);
    this.#groups.delete(group);
    this.#groups.add(group);
    const refresh = new Refresh(group.places, this.#nodes, this.#clock, this.#schedule);
    refresh.send(group.refresh(this.#inbox, nowMs));
    this.#schedulePass((pauseMs * group.size) / count);
  }

  /**
   * Those that are refreshed next. As long as none comes or goes, the same ones are refreshed together again and again:
   * they are encoded once, and what nodes say of them is compared with what they said before.
   */
  #next(count: number, leastCount: number): Group {
    const { first } = this.#groups;
    if (first?.isWhole === true && first.size >= leastCount && first.size <= count) return first;
    const next = new Group();
    for (const group of this.#groups) {
      if (next.size >= leastCount) break;
      for (const place of group.take(count - next.size)) next.add(place);
      if (group.size === 0) this.#groups.delete(group);
    }
    return next;
  }

  /** Never later than planned: other places that come and go must not postpone it. */
  #schedulePass(pauseMs: number): void {
    if (this.size === 0) return;
    const dueMs = this.#clock.now() + pauseMs;
    if (this.heapIndex === -1 || this.wakeAtMs > dueMs) this.#schedule.set(this, dueMs);
  }
}

/** Places that are refreshed together. */
class Group implements Linkable {
  link?: Linkable["link"];
  #places: QueuedPlace[] = [];
  /** Of those that are refreshed. */
  size = 0;
  #last: OperationOf<"refresh"> | undefined;

  /** Only before it is sent. */
  add(place: QueuedPlace): void {
    place.group = this;
    this.#places.push(place);
    this.size++;
  }

  delete(place: QueuedPlace): void {
    place.group = undefined;
    this.size--;
  }

  /** Those that have gone are among them. A list that was sent stays as it is. */
  get places(): readonly QueuedPlace[] {
    return this.#places;
  }

  get wasSent(): boolean {
    return this.#last !== undefined;
  }

  /** None of its places has gone. */
  get isWhole(): boolean {
    return this.size === this.#places.length;
  }

  /** Takes that many places out of it; the rest has not been sent together. */
  take(count: number): readonly QueuedPlace[] {
    const left = this.#places.filter(({ group }) => group === this);
    const taken = left.splice(0, count);
    this.#places = left;
    this.size = left.length;
    this.#last = undefined;
    return taken;
  }

  /** The refresh to send. */
  refresh(inbox: string, nowMs: number): OperationOf<"refresh"> {
    const { places } = this;
    const untilMs = nowMs + Math.max(...places.map(({ nodeTimeoutMs }) => nodeTimeoutMs));
    const { keys } = places[0] as QueuedPlace;
    const parts = { keys, ownerId: inbox, sendBeforeMs: untilMs, places };
    const refresh = newOperation("refresh", parts);
    refresh.wire = this.#last?.wire;
    this.#last = refresh;
    return refresh;
  }
}

/** One refresh of some places on all nodes. */
class Refresh implements VoteReceiver, Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  readonly graceMs = 1;

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
    places: readonly QueuedPlace[],
    nodes: readonly NodePort[],
    clock: Clock,
    schedule: Schedule,
  ) {
    this.#places = places;
    this.#nodes = nodes;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#heard = Array.from({ length: nodes.length });
    this.#leftCount = nodes.length;
  }

  send(operation: OperationOf<"refresh">): void {
    this.#schedule.set(this, operation.sendBeforeMs);
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
      if (place.group === undefined) continue;
      for (let index = 0; index < blockedMs.length; index++) {
        const said = this.#heard[index];
        const ms = said?.looks.blockedMs[at] ?? Number.POSITIVE_INFINITY;
        blockedMs[index] = Math.max(0, ms - (said?.ageMs ?? 0));
      }
      const freeInMs = isQuorum ? quorumFreeInMs(blockedMs) : undefined;
      const freeAtMs = freeInMs === undefined ? undefined : nowMs + freeInMs;
      // Most looks are no news, and to tell thousands of waiters so takes longer than to find it out.
      if (isSameInstant(freeAtMs, place.toldFreeAtMs)) continue;
      place.toldFreeAtMs = freeAtMs;
      place.onLook(freeInMs, nowMs);
    }
  }
}

/** What answers of nodes may differ by, ms, because they are on their way for longer or shorter. */
const SAME_MS = 10;

function isSameInstant(oneMs: number | undefined, otherMs: number | undefined): boolean {
  if (oneMs === undefined || otherMs === undefined) return false;
  return Math.abs(oneMs - otherMs) <= SAME_MS;
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
