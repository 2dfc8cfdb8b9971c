import type { LockKind } from "../protocol/lock-kind.js";
import { mayHandOver, type Run } from "../protocol/hand-over.js";
import type { Operation, Waiter } from "../protocol/operation.js";
import { quorumSize } from "../protocol/verdict.js";
import { Allowance } from "./allowance.js";
import type { AttemptFailure } from "./attempt.js";
import type { HandOver } from "./hand-over.js";
import type { Clock, InboxPort, NodePort } from "./ports.js";
import { Places } from "./places.js";
import type { Schedule } from "./schedule.js";
import { SlotBook } from "./slot-book.js";
import { bitCount, SlotTurns } from "./slot-turns.js";

/** One acquire that waits. */
export interface InLine {
  /** What it waits for: the name of the line, or several that begin with it. */
  readonly keys: LockKind;
  /** How it stands in the queue of the nodes. */
  readonly waiter: Waiter | undefined;
  /** Whoever was before it is gone. @param isHeldHere because that one got the lock */
  onFirst(isHeldHere: boolean): void;
  /** A reader of this process got in, and only readers stand before. */
  onReader(): void;
  /** Nodes say that it is our turn. */
  onTurn(isQuorum: boolean): void;
  /** From now on nodes would be heard. */
  onHeard(): void;
  /** Whether it could take a lock over now: it does not ask, and its time is not over. */
  isReady(nowMs: number): boolean;
  /** Asks for the lock that is released just now. Only while it is ready. */
  takeOver(handOver: HandOver, nowMs: number): void;
}

/** A lock that one of a line has got. */
export interface Holder {
  readonly keys: LockKind;
  /** Another node says that it is our turn. */
  takeTurn(index: number, waiter: Waiter): void;
}

interface SentFailure {
  readonly failure: AttemptFailure;
  readonly sentMs: number;
}

/**
 * Those in this process who wait for one name, first come first served; only the first contends, and
 * once a reader got in, all readers before the next writer.
 */
export class Line {
  readonly keys: LockKind;
  /** By all names: what keeps one who wants several from the others of them says nothing to the rest. */
  readonly #failures = new Map<string, SentFailure>();
  readonly #members = new Set<InLine>();
  /** Bit mask of the nodes that have said that it is our turn. */
  #turns = 0;
  /** The same, where the line is for the permits of a semaphore. */
  readonly #slotTurns: SlotTurns | undefined;

  constructor(keys: LockKind) {
    this.keys = keys;
    if (keys.slots !== undefined) this.#slotTurns = new SlotTurns();
  }

  get first(): InLine | undefined {
    return this.#members.values().next().value;
  }

  get size(): number {
    return this.#members.size;
  }

  /** An attempt of someone here failed. */
  onFailure(failure: AttemptFailure, sentMs: number, { name }: LockKind): void {
    this.#failures.set(name, { failure, sentMs });
  }

  /**
   * How the last attempt at the same failed, if it was sent since then: one who waited saw nothing
   * older.
   */
  failureSince(sinceMs: number, { name }: LockKind): AttemptFailure | undefined {
    const last = this.#failures.get(name);
    return last !== undefined && last.sentMs > sinceMs ? last.failure : undefined;
  }

  add(member: InLine): void {
    this.#members.add(member);
  }

  remove(member: InLine, isHeldHere: boolean): void {
    const wasFirst = this.first === member;
    this.#members.delete(member);
    if (wasFirst) {
      this.forgetTurns();
      const isLetIn = isHeldHere && admits(member) && admits(this.first);
      if (!isLetIn) this.first?.onFirst(isHeldHere);
    }
    if (isHeldHere && admits(member)) this.#letReadersIn();
  }

  #letReadersIn(): void {
    for (const member of this.#members) {
      if (!admits(member)) return;
      member.onReader();
    }
  }

  /**
   * The first, who can't have it yet, lets those who want something else try before it does so again.
   * Those behind it who want the same stay behind it.
   *
   * @returns false if there is nobody to let pass
   */
  rotate(member: InLine): boolean {
    const alike = [...this.#members].filter(({ keys }) => keys.name === member.keys.name);
    if (this.first !== member || alike.length === this.#members.size) return false;
    for (const each of alike) {
      this.#members.delete(each);
      this.#members.add(each);
    }
    this.forgetTurns();
    // As if the name were held: those who let each other pass should not do so without a pause.
    this.first?.onFirst(true);
    return true;
  }

  /** What the nodes have said until now does not count any more: an attempt goes out. */
  forgetTurns(): void {
    this.#turns = 0;
  }

  /** A quorum of nodes has said so since the last attempt. */
  isOurTurn(nodeCount: number): boolean {
    const nodes = Math.max(bitCount(this.#turns), this.#slotTurns?.mostNodes ?? 0);
    return nodes >= quorumSize(nodeCount);
  }

  /**
   * A node keeps the name for us, or a slot of it; there is no such slot if it is not below their number.
   *
   * @param untilMs lease clock
   */
  onTurn(index: number, nodeCount: number, slot: number | undefined, untilMs: number): void {
    if (slot === undefined) this.#turns |= 1 << index;
    else if (slot < (this.keys.slots?.count ?? 0)) this.#slotTurns?.add(index, slot, untilMs);
    else return;
    this.first?.onTurn(this.isOurTurn(nodeCount));
  }

  /** The slot that most nodes keep for us, if any. @param permits of the one who asks */
  takeSlotTurn(nowMs: number, permits: number): number | undefined {
    const slot = this.#slotTurns?.take(nowMs);
    return slot === undefined || slot >= permits ? undefined : slot;
  }

  /** One here has it: nodes that keep it for us, too, keep it for that one. */
  forgetSlot(slot: number): void {
    this.#slotTurns?.delete(slot);
  }

  /** Slots that are kept and that nobody here wants any more. */
  unwantedTurns(nowMs: number): Iterable<{ index: number; slot: number; turnMs: number }> {
    return this.#slotTurns?.drain(nowMs) ?? [];
  }
}

/** Turns at names that nobody here wants, all nodes together. */
export const MAX_PASSED_BACK_A_SECOND = 256;

/**
 * All lines of a process. Between processes the nodes keep a queue a name: a process stands in it
 * for the first of its line, and is woken through its inbox when it is its turn.
 */
export class Lines {
  readonly inbox: InboxPort | undefined;
  /** Undefined where nobody stands in the nodes' queues. */
  readonly places: Places | undefined;
  readonly slots = new SlotBook();
  readonly #nodes: readonly NodePort[];
  readonly #clock: Clock;
  readonly #lines = new Map<string, Line>();
  /** Locks that were waited for, by lock key, permits by slot. */
  readonly #holders = new Map<string, Holder>();
  readonly #passedBack = new Allowance(MAX_PASSED_BACK_A_SECOND);
  #lastTicket = 0;

  /** @param inbox undefined where nobody is woken: then those who wait look again by themselves */
  constructor(
    nodes: readonly NodePort[],
    clock: Clock,
    schedule: Schedule,
    inbox: InboxPort | undefined,
  ) {
    this.#nodes = nodes;
    this.#clock = clock;
    this.inbox = inbox;
    if (inbox !== undefined) this.places = new Places(nodes, clock, schedule, inbox.id);
  }

  of(keys: LockKind): Line | undefined {
    return this.#lines.size === 0 ? undefined : this.#lines.get(keys.lineKey);
  }

  /** To whom a lock of ours may go without a release; undefined if the nodes have to choose. */
  successorOf(keys: LockKind, run: Run, nowMs: number): InLine | undefined {
    const first = this.of(keys)?.first;
    const ticket = first?.waiter?.ticket;
    if (first === undefined || ticket === undefined) return undefined;
    return mayHandOver(run, ticket, nowMs) && first.isReady(nowMs) ? first : undefined;
  }

  /** Whom a release of ours puts into the queue, so that it is told when it is its turn. */
  nextOf(keys: LockKind): Waiter | undefined {
    return this.of(keys)?.first?.waiter;
  }

  enter(keys: LockKind, member: InLine): Line {
    const { lineKey } = keys;
    let line = this.#lines.get(lineKey);
    if (line === undefined) {
      line = new Line(keys);
      this.#lines.set(lineKey, line);
    }
    line.add(member);
    this.inbox?.listen();
    return line;
  }

  /** @param holder the lock that it got, if it got it */
  leave(line: Line, member: InLine, holder: Holder | undefined): void {
    if (holder !== undefined) this.#holders.set(holder.keys.holderKey, holder);
    const wasFirst = line.first === member;
    // Who wants a permit need not wait for the one that was given: there may be more.
    const slot = holder?.keys.slots?.slot;
    line.remove(member, holder !== undefined && slot === undefined);
    const { first } = line;
    if (first === undefined) {
      this.#lines.delete(line.keys.lineKey);
      this.#passOn(line);
    } else if (slot !== undefined) line.forgetSlot(slot);
    const { waiter } = member;
    if (holder !== undefined || waiter === undefined) return;
    // A reader does not stand in the queue as a writer does, nor the other way round.
    const isLeft = first === undefined || (wasFirst && admits(first) !== admits(member));
    if (!isLeft) return;
    const place = { ...waiter, placePrefix: line.keys.queue.leavePrefix };
    for (let index = 0; index < this.#nodes.length; index++) {
      this.#sendLeave(index, line.keys, place);
    }
  }

  /** What nodes keep for a line that is gone. */
  #passOn(line: Line): void {
    const { slots, queue } = line.keys;
    if (slots === undefined) return;
    const inbox = this.inbox?.id ?? "";
    for (const { index, slot, turnMs } of line.unwantedTurns(this.#clock.now())) {
      const keys = slots.at(slot);
      const waiter = { inbox, ticket: 0, turnMs, placePrefix: queue.placePrefix };
      const holder = this.#holders.get(keys.holderKey);
      if (holder === undefined) this.#sendLeave(index, keys, waiter);
      else holder.takeTurn(index, waiter);
    }
  }

  /** A lock is held no more. */
  onEnd(holder: Holder): void {
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
    // A node that a plain lock has left gives its turn to one who wants a slot, too.
    const line = this.of(keys) ?? this.#lines.get(keys.queueKey);
    // A reader has it on that node already, or as good as: then others of its process can have it.
    const isForLine = line !== undefined && (holder === undefined || admits(holder));
    if (isForLine) line.onTurn(index, this.#nodes.length, keys.slots?.slot, untilMs);
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
    for (const line of this.#lines.values()) line.first?.onHeard();
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

const NOBODY = { onVote: () => {} };

/** It can have the name beside others. */
function admits(one: { readonly keys: LockKind } | undefined): boolean {
  return one?.keys.queue.admitsOthers === true;
}
