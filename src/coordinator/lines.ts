import { keysOf, type NameKeys } from "../protocol/keys.js";
import { mayHandOver, type Run } from "../protocol/hand-over.js";
import { isShared } from "../protocol/layout.js";
import { MAX_PERMITS, slotKeys, slotsOf } from "../protocol/slots.js";
import type { Operation, Waiter } from "../protocol/operation.js";
import { quorumSize } from "../protocol/verdict.js";
import type { TurnMessage } from "../protocol/turn-message.js";
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
  /** What it waits for: the name of the line, or a set that begins with it. */
  readonly name: string;
  /** How it stands in the queue of the nodes. */
  readonly waiter: Waiter | undefined;
  /** It can have the name beside others of its kind. */
  readonly isReader: boolean;
  /** Whoever was before it is gone. @param isHeldHere because that one got the lock */
  onFirst(isHeldHere: boolean): void;
  /** A reader of this process got in, and only readers stand before. */
  onReader(): void;
  /** Nodes say that it is our turn. */
  onTurn(isQuorum: boolean): void;
  /** From now on nodes would be heard. */
  onHeard(): void;
  /** Whether it could take a lock over now: a plain mutex; it does not ask, and its time is not over. */
  isReady(nowMs: number): boolean;
  /** Asks for the lock that is released just now. Only while it is ready. */
  takeOver(handOver: HandOver, nowMs: number): void;
}

/** A lock that one of a line has got. */
export interface Holder {
  readonly keys: NameKeys;
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
  readonly keys: NameKeys;
  #lastFailure: SentFailure | undefined;
  /** Of sets that begin with the name: what keeps one from its other names says nothing of the rest. */
  #setFailures: Map<string, SentFailure> | undefined;
  readonly #members = new Set<InLine>();
  /** Bit mask of the nodes that have said that it is our turn. */
  #turns = 0;
  /** The same, where the line is for the permits of a semaphore. */
  readonly #slotTurns: SlotTurns | undefined;

  constructor(keys: NameKeys) {
    this.keys = keys;
    if (slotsOf(keys) !== undefined) this.#slotTurns = new SlotTurns();
  }

  get first(): InLine | undefined {
    return this.#members.values().next().value;
  }

  get size(): number {
    return this.#members.size;
  }

  /** An attempt of someone here failed. */
  onFailure(failure: AttemptFailure, sentMs: number, { name, names }: NameKeys): void {
    const sent = { failure, sentMs };
    if (names === undefined) this.#lastFailure = sent;
    else this.#setFailures = (this.#setFailures ?? new Map<string, SentFailure>()).set(name, sent);
  }

  /**
   * How the last attempt at the same failed, if it was sent since then: one who waited saw nothing
   * older.
   */
  failureSince(sinceMs: number, { name, names }: NameKeys): AttemptFailure | undefined {
    const last = names === undefined ? this.#lastFailure : this.#setFailures?.get(name);
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
      if (!(isHeldHere && member.isReader && this.first?.isReader)) this.first?.onFirst(isHeldHere);
    }
    if (isHeldHere && member.isReader) this.#letReadersIn();
  }

  #letReadersIn(): void {
    for (const member of this.#members) {
      if (!member.isReader) return;
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
    const alike = [...this.#members].filter(({ name }) => name === member.name);
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

  onTurn(index: number, nodeCount: number): void {
    this.#turns |= 1 << index;
    this.first?.onTurn(this.isOurTurn(nodeCount));
  }

  /** A node keeps a slot for us; there is no such slot if it is not below the permits. @param untilMs lease clock */
  onSlotTurn(index: number, nodeCount: number, slot: number, untilMs: number): void {
    if (slot >= (slotsOf(this.keys)?.permits ?? 0)) return;
    this.#slotTurns?.add(index, slot, untilMs);
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

  of(keys: NameKeys): Line | undefined {
    return this.#lines.size === 0 ? undefined : this.#lines.get(lineKeyOf(keys));
  }

  /** To whom a lock of ours may go without a release; undefined if the nodes have to choose. */
  successorOf(keys: NameKeys, run: Run, nowMs: number): InLine | undefined {
    const first = this.of(keys)?.first;
    const ticket = first?.waiter?.ticket;
    if (first === undefined || ticket === undefined) return undefined;
    return mayHandOver(run, ticket, nowMs) && first.isReady(nowMs) ? first : undefined;
  }

  /** Whom a release of ours puts into the queue, so that it is told when it is its turn. */
  nextOf(keys: NameKeys): Waiter | undefined {
    return this.of(keys)?.first?.waiter;
  }

  enter(keys: NameKeys, member: InLine): Line {
    const lineKey = lineKeyOf(keys);
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
    if (holder !== undefined) this.#holders.set(holderKeyOf(holder.keys), holder);
    const wasFirst = line.first === member;
    // Who wants a permit need not wait for the one that was given: there may be more.
    const slot = holder === undefined ? undefined : slotsOf(holder.keys)?.slot;
    line.remove(member, holder !== undefined && slot === undefined);
    const { first } = line;
    if (first === undefined) {
      this.#lines.delete(lineKeyOf(line.keys));
      this.#passOn(line);
    } else if (slot !== undefined) line.forgetSlot(slot);
    const { waiter } = member;
    if (holder !== undefined || waiter === undefined) return;
    // A reader does not stand in the queue as a writer does, nor the other way round.
    const isLeft = first === undefined || (wasFirst && first.isReader !== member.isReader);
    if (!isLeft) return;
    const { inbox, ticket, turnMs, wantsSlot } = waiter;
    const place = { inbox, ticket, turnMs, ...(wantsSlot === true && { wantsSlot }) };
    for (let index = 0; index < this.#nodes.length; index++) {
      this.#sendLeave(index, line.keys, place);
    }
  }

  /** What nodes keep for a line that is gone. */
  #passOn(line: Line): void {
    if (slotsOf(line.keys) === undefined) return;
    const inbox = this.inbox?.id ?? "";
    for (const { index, slot, turnMs } of line.unwantedTurns(this.#clock.now())) {
      const keys = permitKeys(line.keys, slot);
      const waiter = { inbox, ticket: 0, turnMs, wantsSlot: true };
      const holder = this.#holders.get(holderKeyOf(keys));
      if (holder === undefined) this.#sendLeave(index, keys, waiter);
      else holder.takeTurn(index, waiter);
    }
  }

  /** A lock is held no more. */
  onEnd(holder: Holder): void {
    if (holder.keys.layout?.kind === "slot") this.slots.delete(holder.keys);
    if (this.#holders.size === 0) return;
    const holderKey = holderKeyOf(holder.keys);
    if (this.#holders.get(holderKey) === holder) this.#holders.delete(holderKey);
  }

  /** The name stays closed, and nobody of us stands in its queue: whoever is next finds out for how long. */
  lookAgain(keys: NameKeys): void {
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
   */
  onTurn(index: number, { lockKey, turnMs, slot }: TurnMessage): void {
    if (this.inbox === undefined) return;
    const waiter = { inbox: this.inbox.id, ticket: 0, turnMs };
    if (slot !== undefined) {
      this.#onSlotTurn(index, lockKey, slot, waiter);
      return;
    }
    const holder = this.#holders.get(lockKey);
    // A node that a plain lock has left gives its turn to one who wants a permit, too.
    const line = this.#lines.get(lockKey) ?? this.of(slotKeys(keysOf("", lockKey), 0));
    // A reader has it on that node already, or as good as: then others of its process can have it.
    const isForLine = line !== undefined && (holder === undefined || isShared(holder.keys));
    if (isForLine) line.onTurn(index, this.#nodes.length);
    else if (holder !== undefined) holder.takeTurn(index, waiter);
    else this.#passBack(index, keysOf("", lockKey), waiter);
  }

  #onSlotTurn(index: number, lockKey: string, slot: number, waiter: Waiter): void {
    const keys = permitKeys(keysOf("", lockKey), slot);
    const holder = this.#holders.get(holderKeyOf(keys));
    const line = this.of(keys);
    const untilMs = this.#clock.now() + waiter.turnMs;
    if (holder !== undefined) holder.takeTurn(index, waiter);
    else if (line === undefined) this.#passBack(index, keys, { ...waiter, wantsSlot: true });
    else line.onSlotTurn(index, this.#nodes.length, slot, untilMs);
  }

  /** Nobody here wants the turn. One that is not passed on runs out by itself. */
  #passBack(index: number, keys: NameKeys, waiter: Waiter): void {
    if (this.#passedBack.take(this.#clock.now())) this.#sendLeave(index, keys, waiter);
  }

  /** A quorum of nodes reaches the inbox now: whoever contends may have missed its turn. */
  onHeard(): void {
    this.places?.hurry();
    for (const line of this.#lines.values()) line.first?.onHeard();
  }

  #sendLeave(index: number, keys: NameKeys, waiter: Waiter): void {
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

/** A permit, wherever it does not matter how many there are: the slot only has to be one of them. */
function permitKeys(keys: NameKeys, slot: number): NameKeys {
  return slotKeys(keys, MAX_PERMITS, slot);
}

const NOBODY = { onVote: () => {} };

/** Those who want a permit do not stand in one line with those who want the name as a whole. */
function lineKeyOf({ layout, queueKey, lockKey }: NameKeys): string {
  return layout?.kind === "slot" ? queueKey : lockKey;
}

/** No lock key begins as ours do, so that the two kinds differ. */
function holderKeyOf(keys: NameKeys): string {
  const slot = slotsOf(keys)?.slot;
  return slot === undefined ? keys.lockKey : `${keys.queueKey}#${slot}`;
}
