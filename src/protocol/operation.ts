import type { LockKind } from "./lock-kind.js";
import type { Looks, Place } from "./place.js";
import type { Waiter } from "./waiter.js";

/**
 * What can be asked of a node about one name. Each is one atomic step on the node.
 *
 * - `acquire`: take the key if it is free (or already ours) and return the lifted fence; with a
 *   `previous` owner also where the key is that one's: its release and our acquire in one step
 * - `seal`: store the fencing token where the key is ours and the fence is below it
 * - `extend`: re-time the key where it is ours, never shortening it
 * - `heal`: put the key back where it is free; lift the fence whoever holds the key
 * - `release`: delete the key where it is ours; lift the fence whoever holds the key; then it is the
 *   turn of the first in the name's queue. With `keepMs` the key stays for so long, and it is nobody's turn
 * - `leave`: out of the queue; if it is our turn, pass it on
 * - `refresh`: renew places in queues, of many names in one step; the answer tells how these stand
 * - `inspect`: look at all that stands under the name, and change nothing
 * - `expire`: let those end that have the signs given as owner; see `protocol/overdue`
 * - `revoke`: remember for `ttlMs` that an operator has ended this owner's lock: no heal brings it back
 */
export type OperationKind =
  | ("acquire" | "seal" | "extend" | "heal" | "release" | "leave")
  | ("refresh" | "inspect" | "expire" | "revoke");

/** An owner that hands its lock over to the next in its process. */
export interface PreviousOwner {
  readonly ownerId: string;
  /** Lifts lower fences as its release would; undefined where its fencing was off. */
  readonly token: number | undefined;
}

export interface Operation {
  readonly kind: OperationKind;
  readonly keys: LockKind;
  /** What the lock key holds for this attempt. */
  readonly ownerId: string;
  /**
   * Life of the key in ms (acquire, extend, heal). For a release: how long a key of this attempt
   * can live at most, which is how long the release is worth keeping for a node that is down.
   */
  readonly ttlMs: number;
  /** Of that what is for steps of the node's clock, ms; undefined: nothing. */
  readonly marginMs?: number | undefined;
  /** Proposal (acquire) or token (seal, heal, release); undefined where fencing is off. */
  readonly fence: number | undefined;
  /**
   * Instant (lease clock, ms) after which the operation must not be sent any more: a queued acquire
   * would otherwise run seconds later, for nobody.
   */
  readonly sendBeforeMs: number;
  /**
   * Who goes into the queue: with an acquire, if it is refused (and out of it, if it is granted);
   * with a release, before the turn is given. For a leave: who goes out of it. For a heal: whose turn
   * is as good as a free key.
   */
  readonly waiter?: Waiter | undefined;
  /** Of an acquire that takes a plain mutex over from this owner. */
  readonly previous?: PreviousOwner;
  /**
   * Of a release that keeps the name closed: what the key may still live at most, ms; it is never made
   * to live longer. Of a plain mutex, and without a waiter.
   */
  readonly keepMs?: number;
  /** Of an acquire: takes the name from whoever holds it. Of a plain mutex, and without a waiter. */
  readonly preempts?: boolean;
  /** Of a refresh, which is about no other name. All of one inbox, the owner; none of a set. */
  readonly places?: readonly Place[];
  /** Kept by a transport that encodes an operation once for all nodes; nobody else's business. */
  wire: unknown;
}

/**
 * Why a node's answer does not count. Only `sent` faults may have had an effect on the node.
 *
 * - `timeout`: no answer within the node's deadline
 * - `late`: this process was too busy to send it before that
 * - `disconnected`: no connection, or it closed before the answer
 * - `suspected`: earlier operations are unanswered; this one was not sent
 * - `quarantined`: the node forgot keys not long ago; its acquire votes do not count yet
 * - `misconfigured`: a replica, a server given twice, wrong credentials, an evicting policy
 * - `server`: the node answered with an error (OOM, no permission, a script fault)
 * - `closed`: the manager is closed
 */
export type FaultKind =
  | "timeout"
  | "late"
  | "disconnected"
  | "suspected"
  | "quarantined"
  | "misconfigured"
  | "server"
  | "closed";

export interface GrantedVote {
  readonly kind: "granted";
  /** The node's fence after an acquire or a seal; 0 for other operations and without fencing. */
  readonly fence: number;
  /** Of one who waits: whether the key was the previous owner's, so that this has released it. */
  readonly isHandedOver?: boolean;
  /** Of one who waits: whether other processes stand in the node's queue. */
  readonly isWaitedFor?: boolean;
  /** Of a refresh. */
  readonly looks?: Looks;
  /** Of an inspect. */
  readonly snapshot?: NameSnapshot;
}

/** What stands under a name on one node. The owners are whole, and so secrets. */
export interface NameSnapshot {
  /** What the lock key holds: an owner, what kind of owners stand beside it, or whose turn it is. */
  readonly holder: string | undefined;
  /** What is left of the lock key, ms. */
  readonly remainingMs: number;
  /** The node's counter. */
  readonly fence: number | undefined;
  /** Processes in the queue. */
  readonly waitingCount: number;
  /** Those that stand beside the lock key, by their text: a permit with its number before the owner. */
  readonly coHolders: readonly { readonly text: string; readonly remainingMs: number }[];
}

export interface RefusedVote {
  readonly kind: "refused";
  /**
   * `free`: the key is not there. `foreign`: the key is somebody's data, or a lock in another layout.
   * `ended`: to a heal, or an acquire that comes late, because an operator has ended this lock.
   */
  readonly reason: "held" | "free" | "foreign" | "ended";
  /** What is left of the holder's key, in ms. */
  readonly remainingMs: number;
  /** The holder's label; of foreign data its type, or the layout in which it is a lock. */
  readonly label: string | undefined;
  /** Of foreign data: the key, where it is not the lock key, but one of the others of a set. */
  readonly key?: string;
  /** Held by readers. */
  readonly isShared?: boolean;
  /** Of those that hold it, see `protocol/overdue`; "" where there are none. */
  readonly signs?: string;
  /** Of a permit: which of them are taken on this node, see `protocol/slots`. */
  readonly takenSlots?: string;
}

export interface FaultVote {
  readonly kind: "fault";
  readonly fault: FaultKind;
  /** False only when it is certain that the operation had and will have no effect on the node. */
  readonly sent: boolean;
  readonly message: string;
}

/** One node's answer to one operation. */
export type Vote = GrantedVote | RefusedVote | FaultVote;

export function faultVote(fault: FaultKind, sent: boolean, message: string): FaultVote {
  return { kind: "fault", fault, sent, message };
}

/** Votes by node index, as a round collects them and an error or a report carries them. */
export type Votes = readonly (Vote | undefined)[];
