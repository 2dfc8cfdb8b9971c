import type { LockKind } from "../protocol/lock-kind.js";
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
