import type { LockKind } from "../protocol/lock-kind.js";
import type { Waiter } from "../protocol/waiter.js";
import { quorumSize } from "../protocol/verdict.js";
import type { AttemptFailure } from "./attempt-failure.js";
import type { Predecessor } from "./acquire-mode.js";
import { LinkedSet, type Linkable } from "./linked-set.js";
import { nodeCountOf } from "./node-sets.js";
import { SlotReservations } from "./slot-reservations.js";

/** One acquire that waits. */
export interface QueueMember extends Linkable {
  /** What it waits for: the name of the wait queue, or several that begin with it. */
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
  receive(from: Predecessor, nowMs: number): void;
}

interface SentFailure {
  readonly failure: AttemptFailure;
  readonly sentMs: number;
}

/**
 * Those in this process who wait for one name, first come first served; only the first contends, and
 * once a reader got in, all readers before the next writer.
 */
export class WaitQueue {
  readonly keys: LockKind;
  /** By all names: what keeps one who wants several from the others of them says nothing to the rest. */
  readonly #failures = new Map<string, SentFailure>();
  readonly #members = new LinkedSet<QueueMember>();
  /** Bit mask of the nodes that have said that it is our turn. */
  #turns = 0;
  /** The same, where the wait queue is for the permits of a semaphore. */
  readonly #slotReservations: SlotReservations | undefined;

  constructor(keys: LockKind) {
    this.keys = keys;
    if (keys.slots !== undefined) this.#slotReservations = new SlotReservations();
  }

  get first(): QueueMember | undefined {
    return this.#members.first;
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

  add(member: QueueMember): void {
    this.#members.add(member);
  }

  remove(member: QueueMember, isHeldHere: boolean): void {
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
  rotate(member: QueueMember): boolean {
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
    const nodes = Math.max(nodeCountOf(this.#turns), this.#slotReservations?.mostNodes ?? 0);
    return nodes >= quorumSize(nodeCount);
  }

  /**
   * A node keeps the name for us, or a slot of it; there is no such slot if it is not below their number.
   *
   * @param untilMs lease clock
   */
  onTurn(index: number, nodeCount: number, slot: number | undefined, untilMs: number): void {
    if (slot === undefined) this.#turns |= 1 << index;
    else if (slot < (this.keys.slots?.count ?? 0))
      this.#slotReservations?.add(index, slot, untilMs);
    else return;
    this.first?.onTurn(this.isOurTurn(nodeCount));
  }

  /** The slot that most nodes keep for us, if any. @param permits of the one who asks */
  takeSlotTurn(nowMs: number, permits: number): number | undefined {
    const slot = this.#slotReservations?.take(nowMs);
    return slot === undefined || slot >= permits ? undefined : slot;
  }

  /** One here has it: nodes that keep it for us, too, keep it for that one. */
  forgetSlot(slot: number): void {
    this.#slotReservations?.delete(slot);
  }

  /** Slots that are kept and that nobody here wants any more. */
  unwantedTurns(nowMs: number): Iterable<{ index: number; slot: number; turnMs: number }> {
    return this.#slotReservations?.drain(nowMs) ?? [];
  }
}

/** It can have the name beside others. */
export function admits(one: { readonly keys: LockKind } | undefined): boolean {
  return one?.keys.queue.admitsOthers === true;
}
