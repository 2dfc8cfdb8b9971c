import { keysOf, type NameKeys } from "../protocol/keys.js";
import { mayHandOver, type Run } from "../protocol/hand-over.js";
import { isShared } from "../protocol/layout.js";
import type { Operation, Waiter } from "../protocol/operation.js";
import { quorumSize } from "../protocol/verdict.js";
import type { AttemptFailure } from "./attempt.js";
import type { HandOver } from "./hand-over.js";
import type { Clock, InboxPort, NodePort } from "./ports.js";

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

  constructor(keys: NameKeys) {
    this.keys = keys;
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
    return bitCount(this.#turns) >= quorumSize(nodeCount);
  }

  onTurn(index: number, nodeCount: number): void {
    this.#turns |= 1 << index;
    this.first?.onTurn(this.isOurTurn(nodeCount));
  }
}

/**
 * All lines of a process. Between processes the nodes keep a queue a name: a process stands in it
 * for the first of its line, and is woken through its inbox when it is its turn.
 */
export class Lines {
  readonly inbox: InboxPort | undefined;
  readonly #nodes: readonly NodePort[];
  readonly #clock: Clock;
  readonly #lines = new Map<string, Line>();
  /** Locks that were waited for, by lock key. */
  readonly #holders = new Map<string, Holder>();
  #lastTicket = 0;

  /** @param inbox undefined where nobody is woken: then those who wait look again by themselves */
  constructor(nodes: readonly NodePort[], clock: Clock, inbox: InboxPort | undefined) {
    this.#nodes = nodes;
    this.#clock = clock;
    this.inbox = inbox;
  }

  of({ lockKey }: NameKeys): Line | undefined {
    return this.#lines.size === 0 ? undefined : this.#lines.get(lockKey);
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
    let line = this.#lines.get(keys.lockKey);
    if (line === undefined) {
      line = new Line(keys);
      this.#lines.set(keys.lockKey, line);
    }
    line.add(member);
    this.inbox?.listen();
    return line;
  }

  /** @param holder the lock that it got, if it got it */
  leave(line: Line, member: InLine, holder: Holder | undefined): void {
    const { lockKey } = line.keys;
    if (holder !== undefined) this.#holders.set(lockKey, holder);
    const wasFirst = line.first === member;
    line.remove(member, holder !== undefined);
    const { first } = line;
    if (first === undefined) this.#lines.delete(lockKey);
    const { waiter } = member;
    if (holder !== undefined || waiter === undefined) return;
    // A reader does not stand in the queue as a writer does, nor the other way round.
    const isLeft = first === undefined || (wasFirst && first.isReader !== member.isReader);
    if (!isLeft) return;
    const { inbox, ticket, turnMs } = waiter;
    for (let index = 0; index < this.#nodes.length; index++) {
      this.#sendLeave(index, line.keys, { inbox, ticket, turnMs });
    }
  }

  /** A lock is held no more. */
  onEnd(holder: Holder): void {
    if (this.#holders.size === 0) return;
    const { lockKey } = holder.keys;
    if (this.#holders.get(lockKey) === holder) this.#holders.delete(lockKey);
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

  /** A node says that it is this process's turn. If nobody wants it any more it is passed on. */
  onTurn(index: number, lockKey: string, turnMs: number): void {
    if (this.inbox === undefined) return;
    const waiter = { inbox: this.inbox.id, ticket: 0, turnMs };
    const holder = this.#holders.get(lockKey);
    const line = this.#lines.get(lockKey);
    // A reader has it on that node already, or as good as: then others of its process can have it.
    const isForLine = line !== undefined && (holder === undefined || isShared(holder.keys));
    if (isForLine) line.onTurn(index, this.#nodes.length);
    else if (holder !== undefined) holder.takeTurn(index, waiter);
    else this.#sendLeave(index, keysOf("", lockKey), waiter);
  }

  /** A quorum of nodes reaches the inbox now: whoever contends may have missed its turn. */
  onHeard(): void {
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

const NOBODY = { onVote: () => {} };

function bitCount(mask: number): number {
  let count = 0;
  for (let left = mask; left !== 0; left &= left - 1) count++;
  return count;
}
