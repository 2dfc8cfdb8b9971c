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
   * Another request of this process steals the name. If this request is for that lock key, attempts sent so far must
   * no longer be granted.
   */
  yieldTo(lockKey: string): void;
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
 */
export function endDisproved(
  held: Iterable<ManagedLease>,
  { keys, ownerId, run }: Pick<Lease, "keys" | "ownerId" | "run">,
): void {
  if (run.passOnCount > 0) return;
  for (const other of held) {
    const isExclusive = keys.isMutex || other.keys.isMutex;
    if (!isExclusive || other.ownerId === ownerId) continue;
    if (other.keys.lockKeys.some((key) => keys.lockKeys.includes(key))) other.onTaken();
  }
}

/**
 * What a request that steals a name does to those of its process that hold or want it.
 *
 * Locks of this process end before the nodes are asked, so no two requests of it ever hold the name. Holders in other
 * processes find out at their next renewal; their fencing tokens are lower, like those of all earlier grants.
 */
export class Preemption {
  readonly #thief: Thief;
  readonly #competitors: LocalCompetitors;
  /** Earlier requests of this process; they are decided first. */
  readonly #undecided = new Set<Pending>();
  /** Send the releases of the locks that it ended. */
  #releases: (() => void)[] = [];

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
      if (isBehindPreemption || !this.#waitsFor(earlier)) earlier.yieldTo(lockKey);
      if (earlier.preempts && earlier.keys.lockKey === lockKey) isBehindPreemption = true;
    }
  }

  /** Before the nodes are asked: locks of this process end, and its attempts are rolled back. */
  preemptOwn(): void {
    const { lockKey } = this.#thief.keys;
    for (const held of this.#competitors.held)
      if (held.keys.lockKeys.includes(lockKey)) this.#releases.push(held.preempt());
    // Who heard of it has stolen the name in turn: that one came later, and keeps it.
    if (this.#thief.isOver) return;
    for (const pending of this.#competitors.pending)
      if (pending !== this.#thief) pending.yieldTo(lockKey);
  }

  /** After the nodes were asked: each has taken the keys of these locks by then, so it gives them to no waiter. */
  releaseOwn(): void {
    for (const release of this.#releases.splice(0)) release();
  }

  *#earlier(): Iterable<Pending> {
    for (const pending of this.#competitors.pending) {
      if (pending === this.#thief) return;
      yield pending;
    }
  }

  #waitsFor(earlier: Pending): boolean {
    const { lockKey } = this.#thief.keys;
    const isUndecided = earlier.whenDecided(lockKey, () => this.#onDecided(earlier));
    if (isUndecided) this.#undecided.add(earlier);
    return isUndecided;
  }

  #onDecided(decided: Pending): void {
    this.#undecided.delete(decided);
    const { attemptCount, isOver } = this.#thief;
    if (this.#undecided.size > 0 || attemptCount > 0 || isOver) return;
    // Where one reader has been granted, waiting readers are let in.
    for (const earlier of this.#earlier()) this.#waitsFor(earlier);
    this.#thief.on({ what: "decided" });
  }
}
