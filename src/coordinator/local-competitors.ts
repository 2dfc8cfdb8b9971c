import type { LockKind } from "../protocol/lock-kind.js";
import type { Linkable } from "./linked-set.js";
import type { ManagedLease } from "./observer.js";

/** What waits for a lock of this process. */
export interface Pending extends Linkable {
  /** What it wants. */
  readonly keys: LockKind;
  abort(): void;
  /**
   * Another of this process steals the name of that lock key, if it is ours, too: what was asked until
   * now must not be granted any more.
   */
  yieldTo(lockKey: string): void;
  /**
   * Calls back once, when the nodes have decided about what was asked of that lock key until now.
   *
   * @returns false if nothing is under way there
   */
  whenDecided?(lockKey: string, callback: () => void): boolean;
  /** Lease clock, ms: when the nodes were asked what they have not decided about; Infinity if they will be. */
  readonly askedMs?: number;
}

/** All that has or wants a lock in this process. */
export interface LocalCompetitors {
  readonly held: Iterable<ManagedLease>;
  /** In the order in which they asked. */
  readonly pending: Iterable<Pending>;
}
