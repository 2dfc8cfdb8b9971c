import type { LockKind } from "../protocol/lock-kind.js";
import type { Happened } from "../protocol/next-move.js";
import { mayPassOn, type Run } from "../protocol/pass-on-run.js";
import type { Vote, Votes } from "../protocol/operation.js";
import type { NodeGrant } from "../protocol/node-messages.js";
import type { Waiter } from "../protocol/node-queue.js";
import { nodeCountOf, nodesThatGranted, quorumSize } from "../protocol/quorum.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { PlaceOfLock } from "./places.js";
import type { LeaseSettings } from "./lease-settings.js";
import { LinkedSet, type Linkable } from "./linked-set.js";
import { PermitReservations } from "./permit-reservations.js";
import { usableForMs } from "../protocol/lease-times.js";

/** A lock that was granted to an acquire of a wait queue. */
export interface GrantedWaiter {
  readonly keys: LockKind;
  /** Where it may still stand in the nodes' queues; undefined if it had no place there. */
  readonly place?: PlaceOfLock | undefined;
  /** Another process takes it over. */
  readonly isGiven: boolean;
  /** By the clock. Detects a loss that no timer has reported yet, which ends with {@link WaitQueues.onEnd}. */
  isHeld(): boolean;
  /** Another node has notified us. */
  takeTurn(index: number, waiter: Waiter): void;
  /** Another node has executed its acquire. */
  onNodeGrant(index: number, grant: NodeGrant): boolean;
}

/** One acquire that waits. */
export interface QueueMember extends Linkable {
  readonly request: WaitingWish & {
    /** Of one for a set, which has waited since before: its place. */
    readonly ticket?: number | undefined;
  };
  /** In the order in which waits began. */
  readonly ticket: number;
  /** What it waits for. */
  readonly keys: LockKind;
  /** How it is marked in the nodes' queues. */
  readonly waiter: Waiter | undefined;
  /** The nodes have been asked to let it in, or to put it into their queues. */
  readonly isAsking: boolean;
  /** They will be, in this turn of the event loop or when the admission lets it. */
  readonly isAboutToAsk: boolean;
  /** Until it asks again, others may ask before it; set by the wait queue. */
  rest: Rest | undefined;
  /** Its ticket was wrong by so much, µs. */
  move(byUs: number): void;
  /** It is told what happens to its place. */
  on(
    happened: Extract<
      Happened,
      { readonly what: "first" | "passed" | "reader" | "turn" | "heard" }
    >,
  ): void;
  /** Whether a lock could be passed on to it now: it wants one like that, the nodes know nothing of it, and it is in time. */
  isReady(settings: LeaseSettings, nowMs: number): boolean;
  /** The same, for a release that puts it there. */
  toSend(): Waiter | undefined;
  /** A node has executed a deferred acquire. @returns whether it was its */
  onNodeGrant(index: number, grant: NodeGrant): boolean;
  /** The lock is passed on to it. Only while it is ready. @param lease that goes on for it: a `Lease` */
  receive(lease: GrantedWaiter): void;
}

/** After an attempt that failed in a way that says nothing to others: they may ask until then. */
export interface Rest {
  /** Lease clock, ms. */
  readonly untilMs: number;
  /** How that attempt failed, and what it asked for: those to whom that says something rest as well. */
  readonly failure: AttemptFailure;
  readonly request: Wish;
}

/**
 * The acquires of this process that wait for one name, first come, first served. Only the first contends; once a
 * reader has been granted, so do all readers ahead of the next writer.
 *
 * One that rests stands where it would if it came when its rest is over. So it delays nobody who comes before that, and
 * nobody who comes after that delays it.
 */
export class WaitQueue extends LinkedSet<QueueMember> {
  readonly keys: LockKind;
  readonly failures = new KnownFailures();
  /** What nodes have reserved, where it is for the permits of a semaphore. */
  readonly reservations: PermitReservations | undefined;
  readonly #nodeCount: number;
  /** Bit mask of the nodes that have notified us. */
  #turns = 0;
  /** How many permits any member has wanted. */
  #mostWanted: number;
  /** Its waiters for sets. */
  #partCount = 0;

  constructor(keys: LockKind, nodeCount: number) {
    super();
    this.keys = keys;
    this.#nodeCount = nodeCount;
    this.#mostWanted = keys.permits?.wanted ?? 0;
    if (keys.permits !== undefined) this.reservations = new PermitReservations();
  }

  /** How many acquires wait: a set that does is itself one, in another wait queue. */
  get count(): number {
    return this.size - this.#partCount;
  }

  /** Several can ask only where they can hold the name together. */
  get isAsking(): boolean {
    if (!admits(this.first)) return this.first?.isAsking === true;
    return [...this].some((member) => member.isAsking);
  }

  /**
   * Puts it behind all but those that rest; one for a set behind those that began to wait before the set.
   *
   * @returns whether it may ask at once: it is a reader, and so are all ahead of it, which have asked for nothing yet, so
   *   that all ask together
   */
  append(member: QueueMember, nowMs: number): boolean {
    const { first } = this;
    if (isPart(member)) this.#partCount++;
    member.rest = this.#restFor(member.request, nowMs);
    this.#insert(member, member.rest?.untilMs ?? nowMs, member.request.ticket);
    this.#mostWanted = Math.max(this.#mostWanted, member.keys.permits?.wanted ?? 0);
    if (this.first !== first) first?.on({ what: "passed" });
    const ahead = this.before(member);
    return admits(member) && admits(ahead) && ahead?.isAboutToAsk === true;
  }

  /** Whether somebody would be ahead of it, had it just come. */
  isAheadOf(request: WaitingWish, nowMs: number): boolean {
    const { first } = this;
    if (first === undefined) return false;
    const mayPass = first.rest !== undefined && first.rest.untilMs > nowMs;
    return !mayPass || this.#restFor(request, nowMs) !== undefined;
  }

  /** Of a newcomer that would ask what is known, or pass a `fair` one. */
  #restFor(request: WaitingWish, nowMs: number): Rest | undefined {
    // The last rests longest.
    for (let each = this.last; each !== undefined; each = this.before(each)) {
      const { rest } = each;
      if (rest === undefined || rest.untilMs <= nowMs) return undefined;
      if (each.request.wait.fair || saysTo(rest.failure, rest.request, request)) return rest;
    }
    return undefined;
  }

  /** Ahead of those that rest longer than that, and of those that have a later ticket and do not ask already. */
  #insert(member: QueueMember, untilMs: number, ticket = Number.POSITIVE_INFINITY): void {
    const behind: QueueMember[] = [];
    for (let each = this.last; each !== undefined; each = this.last) {
      const isLater = each.ticket > ticket && !each.isAsking && !each.isAboutToAsk;
      if (each.rest === undefined ? !isLater : each.rest.untilMs <= untilMs) break;
      behind.push(each);
      this.delete(each);
    }
    this.add(member);
    for (const each of behind.toReversed()) this.add(each);
  }

  remove(member: QueueMember, isHeldHere: boolean): void {
    const wasFirst = this.first === member;
    if (isPart(member)) this.#partCount--;
    this.delete(member);
    if (wasFirst) {
      this.forgetTurns();
      const isLetIn = isHeldHere && admits(member) && admits(this.first);
      if (!isLetIn) this.first?.on({ what: "first", isHeldHere });
    }
    if (isHeldHere && admits(member)) this.#letReadersIn();
  }

  #letReadersIn(): void {
    for (const member of this) {
      if (!admits(member)) return;
      member.on({ what: "reader" });
    }
  }

  /**
   * The first waiter cannot be granted yet, and rests: waiters to whom its failure says nothing may ask meanwhile. The
   * others rest with it, and so do those that would pass a `fair` one.
   *
   * @returns whether another is first now
   */
  letPass(first: QueueMember, untilMs: number, failure: AttemptFailure): boolean {
    let rest: Rest = { untilMs, failure, request: first.request };
    const staying: QueueMember[] = [];
    let isBehindFair = false;
    for (const each of this) {
      const { request } = each;
      if (!isBehindFair && !saysTo(failure, first.request, request)) continue;
      staying.push(each);
      isBehindFair ||= request.wait.fair;
    }
    for (const each of staying) {
      this.delete(each);
      // None less long than those ahead of it: they keep their order.
      if (each.rest !== undefined && each.rest.untilMs > rest.untilMs) ({ rest } = each);
      each.rest = rest;
    }
    for (const each of staying) this.#insert(each, each.rest?.untilMs ?? untilMs);
    if (this.first === first) return false;
    this.first?.on({ what: "first", isHeldHere: false });
    return true;
  }

  /** The waiter to which a lock of ours may be passed on without a release; undefined if the nodes must choose. */
  successor(settings: LeaseSettings, run: Run, nowMs: number): QueueMember | undefined {
    const { first } = this;
    const ticket = first?.waiter?.ticket;
    if (first === undefined || ticket === undefined) return undefined;
    const isFor = mayPassOn(run, ticket, settings.ttlMs, nowMs) && first.isReady(settings, nowMs);
    return isFor ? first : undefined;
  }

  /**
   * The waiter that a release of ours puts into the queue, so that it is notified. One that is asking is put there by
   * each node that refuses it; where it was granted meanwhile, it would be left behind.
   */
  toSend(): Waiter | undefined {
    const { first } = this;
    return first?.isAsking === true ? undefined : first?.toSend();
  }

  /** Notifications received so far no longer count: an attempt is sent. */
  forgetTurns(): void {
    this.#turns = 0;
    this.reservations?.setFree([]);
  }

  /**
   * An attempt has failed, and gives its votes back. A node where other readers have the name would let in a reader
   * again, and tells nobody of that: nothing is opened. It asks in vain at most where the node was free, or is slow. So it
   * is with permits that a node has free, where others were asked for.
   */
  keepTurns(one: { readonly keys: LockKind }, votes: Votes): void {
    this.reservations?.setFree(votes);
    if (admits(one)) this.#turns |= nodesThatGranted(votes);
  }

  /** A quorum of nodes has notified us since the last attempt. */
  get isOurTurn(): boolean {
    const wanted = (this.first ?? this).keys.permits?.wanted ?? 1;
    const ofPermits = this.reservations?.nodeCount(wanted) ?? 0;
    const nodes = Math.max(nodeCountOf(this.#turns), ofPermits);
    return nodes >= quorumSize(this.#nodeCount);
  }

  /**
   * A node has executed a deferred acquire. With those that only keep the name for it that may be a quorum, and it asks
   * them.
   *
   * @returns whether it was that of the first
   */
  onGrant(index: number, grant: NodeGrant): boolean {
    const { first } = this;
    if (first?.onNodeGrant(index, grant) !== true) return false;
    this.#turns |= 1 << index;
    if (this.first === first && this.isOurTurn) first.on({ what: "turn", isQuorum: true });
    return true;
  }

  /**
   * A node reserves the name for us, or permits of it: which there are is for the nodes to say, but no more than anybody
   * here has wanted.
   *
   * @param untilMs lease clock
   */
  onTurn(index: number, numbers: readonly number[] | undefined, untilMs: number): void {
    if (numbers === undefined) this.#turns |= 1 << index;
    else if (numbers.length > this.#mostWanted) return;
    else this.reservations?.add(index, numbers, untilMs);
    this.first?.on({ what: "turn", isQuorum: this.isOurTurn });
  }
}

/** It waits for a set. */
export function isPart({ request }: QueueMember): boolean {
  return request.ticket !== undefined;
}

/** It can hold the name together with others. */
export function admits(one: { readonly keys: LockKind } | undefined): boolean {
  return one?.keys.queue.admitsOthers === true;
}

/**
 * How many are remembered. Requests for one name are mostly alike, and then the last failure says it all; one that
 * finds nothing here asks the nodes itself.
 */
const MAX_KNOWN = 8;

/** What a request wants. */
interface Wish {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
}

interface WaitingWish extends Wish {
  readonly wait: { readonly fair: boolean };
}

/** How attempts of one wait queue failed: the others in it need not find that out themselves. */
export class KnownFailures {
  /** When they were sent, by the lease clock. The last is the most recent. */
  #known: readonly {
    readonly failure: AttemptFailure;
    readonly request: Wish;
    readonly sentMs: number;
  }[] = [];

  /** @param request whose attempt failed */
  add(failure: AttemptFailure, request: Wish, sentMs: number): void {
    const others = this.#known.filter((known) => !saysTo(failure, request, known.request));
    this.#known = [...others, { failure, request, sentMs }].slice(-MAX_KNOWN);
  }

  /**
   * The last that says something to that request.
   *
   * @param sinceMs lease clock: only what was sent after that, as it has seen nothing older, or has asked itself then
   */
  findFor(request: Wish, sinceMs: number): AttemptFailure | undefined {
    return this.#known.findLast(
      ({ failure, request: asked, sentMs }) => sentMs > sinceMs && saysTo(failure, asked, request),
    )?.failure;
  }
}

/**
 * Whether another request of the same wait queue would have failed as well, had it asked in place of the one that did.
 * Not if what it wants differs, or if it is content with less: with slower answers, or with less time left.
 */
export function saysTo({ kind, votes }: AttemptFailure, asked: Wish, other: Wish): boolean {
  if (votes.some(isAboutKind) && !isSameKind(asked.keys, other.keys)) return false;
  if (kind === "refused" || kind === "split") return true;
  const [its, others] = [asked.settings, other.settings];
  return kind === "exhausted"
    ? usableForMs(others) <= usableForMs(its)
    : others.nodeTimeoutMs <= its.nodeTimeoutMs;
}

/** Other kinds of locks may find the same data, and the same permissions, as they should be. */
function isAboutKind(vote: Vote | undefined): boolean {
  if (vote?.kind === "refused") return vote.reason === "foreign";
  return vote?.kind === "fault" && vote.fault === "misconfigured";
}

function isSameKind(one: LockKind, other: LockKind): boolean {
  return (
    one.id === other.id &&
    one.layout === other.layout &&
    one.permits?.size.current.count === other.permits?.size.current.count
  );
}
