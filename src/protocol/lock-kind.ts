import type { NameKeys } from "./keys.js";
import type { KnownSize } from "./semaphore-size.js";
import type { TimestampLayout } from "./lock-layout.js";

/** How a place is marked in a node's queue: it wants the name as a whole, as a reader, any permit, or so many of them. */
export type PlacePrefix = "" | "r" | "s" | `s${number},`;

/** How locks of a kind wait, in this process and in the nodes' queues. */
export interface QueueRules {
  /** The mark of its places in the nodes' queues. */
  readonly placePrefix: PlacePrefix;
  /** The mark by which a place is left: the step that leaves a name as a whole also removes readers. */
  readonly leavePrefix: PlacePrefix;
  /** Waiters with the same value can hold the name at the same time. */
  readonly admitsOthers: boolean;
  /** A release in this process may be combined with the acquire of the next waiter. */
  readonly passesOn: boolean;
  /** After a failed attempt it is in the nodes' queues, including those of nodes that granted it. */
  readonly rejoins: boolean;
  /** A lock that a node refused, and others granted, stays in the queue there: it can be restored in its turn. */
  readonly keepsPlace: boolean;
  /** A waiter learns all it needs by refreshing its place. */
  readonly isRefreshed: boolean;
  /** Nodes execute the acquire of a waiter for it, see `protocol/node-messages`. */
  readonly isDeferred: boolean;
}

/** For a name that is held in permits, each a mutex of its own. */
export interface Permits {
  /** How many there are; sent before the arguments of the kind. */
  readonly size: KnownSize;
  /** How many of them are acquired and released together. */
  readonly wanted: number;
  /** Which they are, from 0, ascending; undefined where none have been chosen yet. */
  readonly numbers: readonly number[] | undefined;
  readonly at: (numbers: readonly number[]) => LockKind;
}

/** By which a process finds what it has to do with a lock. */
export interface KeysInProcess {
  /** Waiters with the same one share a wait queue of their process. */
  readonly waitQueueKey: string;
  /** Of the locks that admit no others, at most one of a process holds it. */
  readonly holderKey: string;
}

/**
 * One lock on one name or several: where it is stored on the nodes, how it waits, what it allows. All differences
 * between kinds of locks are members of it: no code of an acquire or a lease asks which kind it is.
 *
 * Of several names the keys of {@link NameKeys} are those of the first.
 */
export interface LockKind extends NameKeys, KeysInProcess {
  /** Which file of `src/script/kinds` implements its steps on a node. */
  readonly id: "exclusive" | "shared" | "several" | "owned" | "timestamp" | "permit";
  /** Arguments of its steps, the same for all of them. */
  readonly scriptArgs: readonly string[];

  readonly names: readonly string[];
  /** In the order in which a node processes them. */
  readonly lockKeys: readonly string[];

  readonly queue: QueueRules;
  readonly permits: Permits | undefined;
  /**
   * Of several names, the lock of each of them alone, in the order of `lockKeys`: as these a set waits, see
   * `coordinator/gathering`. Undefined of one name.
   */
  readonly parts: (() => readonly LockKind[]) | undefined;
  /**
   * The same for an acquire that is granted only where its owner already holds the lock; undefined without an owner.
   */
  readonly joinOnly: (() => LockKind) | undefined;

  readonly allows: {
    /** Whether the name may stay closed for a while after its release. */
    readonly minHold: boolean;
    /** Whether another process may adopt the lock. */
    readonly transfer: boolean;
  };
  /** While it is held, no other client holds the name: so it grants everything that a shared lock does. */
  readonly isMutex: boolean;
  readonly mode: "exclusive" | "shared";
  readonly owner: string | undefined;
  readonly layout: "redlock" | "redisson" | TimestampLayout;
  /** A description for errors: "a shared lock". */
  readonly words: string;
}
