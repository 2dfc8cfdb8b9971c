import type { NameKeys } from "./keys.js";
import type { TimestampLayout } from "./timestamps.js";

/** Which file of `src/script/kinds` does the steps of a kind on a node. */
export type KindId = "exclusive" | "shared" | "several" | "owned" | "timestamp" | "slot";

/** How a place is marked in the queue of a node: it wants the name as a whole, beside other readers, or any permit. */
export type PlacePrefix = "" | "r" | "s";

/** How locks of a kind wait, in this process and in the queues of the nodes. */
export interface QueueRules {
  /** Of its places in the queues of the nodes. */
  readonly placePrefix: PlacePrefix;
  /** By which a place is left: the step that leaves a name as a whole takes readers out, too. */
  readonly leavePrefix: PlacePrefix;
  /** Others that say the same can have the name at the same time. */
  readonly admitsOthers: boolean;
  /** The first in line, if it was refused, lets those pass who want something else. */
  readonly rotates: boolean;
  /** A release in this process may be the acquire of the next in line. */
  readonly handsOver: boolean;
  /** One whose attempt failed stands in the queues of the nodes from then on, also of those that granted it. */
  readonly rejoins: boolean;
  /** A waiter learns all it has to know by refreshing its place. */
  readonly isRefreshed: boolean;
}

/** Of a name that is held in slots, each a mutex of its own. */
export interface Slots {
  readonly count: number;
  /** Which one, from 0; undefined where none has been chosen yet. */
  readonly slot: number | undefined;
  readonly at: (slot: number) => LockKind;
}

/**
 * One lock on one name or several: where it lies on the nodes, how it waits, what it allows. Everything that
 * differs between kinds of locks is said here; nobody else asks of which kind a lock is.
 *
 * Of several names the keys of {@link NameKeys} are those of the first.
 */
export interface LockKind extends NameKeys {
  readonly id: KindId;
  /** Arguments that its steps need, the same for all of them. */
  readonly scriptArgs: readonly string[];

  readonly names: readonly string[];
  /** In the order in which a node goes through them. */
  readonly lockKeys: readonly string[];

  /** Those who wait by the same one stand in one wait queue of their process. */
  readonly waitQueueKey: string;
  /** At most one lock of a process has it, of those that do not admit others. */
  readonly holderKey: string;
  readonly queue: QueueRules;
  readonly slots: Slots | undefined;
  /** The same for an acquire that gets in only where its owner is in already; undefined for all without an owner. */
  readonly joinOnly: (() => LockKind) | undefined;
  readonly isJoinOnly: boolean;

  readonly allows: {
    /** That the name stays closed for a while behind its release. */
    readonly minHold: boolean;
    /** That another process takes the lock over. */
    readonly transfer: boolean;
  };
  /** Where it is held nobody else is in: it is all that a shared lock is. */
  readonly isMutex: boolean;
  readonly mode: "exclusive" | "shared";
  readonly owner: string | undefined;
  readonly layout: "redlock" | "redisson" | TimestampLayout;
  /** What it is, for errors: "a shared lock". */
  readonly words: string;
}
