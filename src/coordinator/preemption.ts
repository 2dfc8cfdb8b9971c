import type { Happened } from "../protocol/next-move.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Lease } from "./lease.js";
import type { Linkable } from "./linked-set.js";
import type { ManagedLease } from "./observer.js";

/** A request of this process for a lock. */
export interface Pending extends Linkable {
  /** What it wants. */
  readonly keys: LockKind;
  abort(): void;
  /**
   * Another request of this process steals the name, and has asked for it. If this request is for that lock key, attempts
   * sent so far must no longer be granted. One that steals the name itself ends.
   *
   * @param heir to which that one leaves what it owes
   */
  yieldTo(lockKey: string, heir?: Preemption): void;
  /**
   * Calls back once, when the nodes have decided on the attempts sent so far for that lock key.
   *
   * @returns false if no attempt for it is in flight
   */
  whenDecided(lockKey: string, callback: () => void): boolean;
  /** Lease clock, ms: when the undecided attempts were sent; Infinity if they have not been sent yet. */
  readonly askedMs: number;
  /** It steals the name itself. */
  readonly preempts: boolean;
}

/** All that holds or wants a lock in this process. */
export interface LocalCompetitors {
  readonly held: Iterable<ManagedLease>;
  /** In the order of their requests. */
  readonly pending: Iterable<Pending>;
}

/** A request that steals the name, among the pending of its process. */
export interface Thief extends Pending {
  readonly attemptCount: number;
  readonly isOver: boolean;
  on(happened: Extract<Happened, { readonly what: "decided" }>): void;
}

/**
 * Ends the locks of this process that a grant to another request of it disproves: another process has stolen them, or an
 * operator has ended them, and they would believe in themselves until their next renewal. While one of the two excludes
 * all others, a quorum of nodes that granted it no longer has the other. One that was passed on proves nothing new.
 *
 * @param held those on one of its names
 */
export function endDisproved(
  held: readonly ManagedLease[],
  { keys, ownerId, run }: Pick<Lease, "keys" | "ownerId" | "run">,
): void {
  if (run.passOnCount > 0) return;
  for (const other of held) {
    const isExclusive = keys.isMutex || other.keys.isMutex;
    if (isExclusive && other.ownerId !== ownerId) other.onTaken();
  }
}

/**
 * What a request that steals a name does to those of its process that hold or want it.
 *
 * Locks of this process end before the nodes are asked, so no two requests of it ever hold the name. Their keys, and what
 * others of this process have asked for, are taken back after that: where a node frees the name before, it gives it to a
 * waiter of another process, from which it is then stolen. Holders in other processes find out at their next renewal;
 * their fencing tokens are lower, like those of all earlier grants.
 */
export class Preemption {
  readonly #thief: Thief;
  readonly #competitors: LocalCompetitors;
  /** Earlier requests of this process; they are decided first. */
  readonly #undecided = new Set<Pending>();
  /** Send the releases of the locks that it ended, and take back what was asked for. */
  readonly #owed: (() => void)[] = [];
  /** A later one, to which it leaves all of that. */
  #heir: Preemption | undefined;

  constructor(thief: Thief, competitors: LocalCompetitors) {
    this.#thief = thief;
    this.#competitors = competitors;
  }

  /** When the last of the earlier requests was sent that are not decided; undefined if there are none. Lease clock, ms. */
  get undecidedMs(): number | undefined {
    if (this.#undecided.size === 0) return undefined;
    return Math.max(...Array.from(this.#undecided, ({ askedMs }) => askedMs));
  }

  /**
   * Called once it is among the pending. When this returns, another stealing request has ended as if it had been
   * granted, and later requests come after this one. Earlier requests of this process are decided first: one may be about
   * to be granted, and is then stolen.
   */
  begin(): void {
    const { lockKey } = this.#thief.keys;
    let isBehindPreemption = false;
    for (const earlier of this.#earlier()) {
      if (earlier.preempts && earlier.keys.lockKey === lockKey) {
        earlier.yieldTo(lockKey, this);
        isBehindPreemption = true;
      } else if (!isBehindPreemption) this.#waitsFor(earlier);
    }
  }

  /** Before the nodes are asked: locks of this process end. */
  preemptOwn(): void {
    const { lockKey } = this.#thief.keys;
    for (const held of this.#competitors.held)
      if (held.keys.lockKeys.includes(lockKey)) this.owe(held.preempt());
  }

  /** After the nodes were asked: each has taken the name by then, so it gives it to no waiter. */
  onAsked(): void {
    // Who heard of a loss has stolen the name in turn: that one came later, and keeps it.
    if (!this.#thief.isOver) {
      for (const pending of this.#competitors.pending)
        if (pending !== this.#thief) pending.yieldTo(this.#thief.keys.lockKey);
    }
    this.pay();
  }

  /** @param debt is called once the name is asked for, or it is not going to be */
  owe(debt: () => void): void {
    this.#owed.push(debt);
    if (this.#thief.isOver) this.pay();
  }

  /** A later request steals the name instead. */
  leaveTo(heir: Preemption | undefined): void {
    this.#heir = heir;
  }

  /** It has asked, or is over. */
  pay(): void {
    for (const debt of this.#owed.splice(0)) {
      if (this.#heir === undefined) debt();
      else this.#heir.owe(debt);
    }
  }

  *#earlier(): Iterable<Pending> {
    for (const pending of this.#competitors.pending) {
      if (pending === this.#thief) return;
      yield pending;
    }
  }

  #waitsFor(earlier: Pending): void {
    const { lockKey } = this.#thief.keys;
    const isUndecided = earlier.whenDecided(lockKey, () => this.#onDecided(earlier));
    if (isUndecided) this.#undecided.add(earlier);
  }

  #onDecided(decided: Pending): void {
    this.#undecided.delete(decided);
    const { attemptCount, isOver } = this.#thief;
    if (this.#undecided.size > 0 || attemptCount > 0 || isOver) return;
    // Where one reader has been granted, waiting readers are let in. Others that ask only now were decided before, or
    // slept: of those that poll, one or another always asks.
    for (const earlier of this.#earlier())
      if (earlier.keys.queue.admitsOthers) this.#waitsFor(earlier);
    this.#thief.on({ what: "decided" });
  }
}
