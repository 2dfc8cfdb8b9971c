import type { LockKind } from "./lock-kind.js";
import type { SemaphoreSize } from "./semaphore-size.js";
import type { Looks, Place, Waiter } from "./node-queue.js";

/**
 * What a node can be asked about one name. Each is one atomic step on the node.
 *
 * - `acquire`: take the key if it is free (or already ours) and return the lifted fence; with a `previousId`,
 *   also if the key is that owner's, who gave it up for us, and with `partIds`, if it is theirs
 * - `seal`: store the fencing token where the key is ours and the fence is below it
 * - `extend`: reset the ttl of the key where it is ours, never shortening it
 * - `heal`: restore the key where it is free; lift the fence whoever holds the key
 * - `release`: delete the key where it is ours; lift the fence whoever holds the key; then notify the first in the
 *   name's queue. With `keepMs` the key stays for so long, and nobody is notified
 * - `leave`: leave the queue; pass on a reservation
 * - `refresh`: renew places in queues, of many names in one step; the answer gives the state of these names
 * - `inspect`: read all that is stored under the name, and change nothing
 * - `watch`: the same, and tell those who observe the name when its holder changes
 * - `expire`: end the holders with the signs given as owner; see `protocol/overdue`
 * - `size`: store the size of a semaphore that the kind brings, if it is newer than the node's; read the node's, and
 *   which of the permits are free
 * - `revoke`: remember for `ttlMs` that an operator has ended this owner's lock: no heal restores it
 */
export type OperationKind =
  | ("acquire" | "seal" | "extend" | "heal" | "release" | "leave")
  | ("refresh" | "inspect" | "watch" | "size" | "expire" | "revoke");

/** What a holder says of itself, to those who observe the name. */
export interface Proclaimed {
  /** Counts what it has proclaimed, from 1. */
  readonly number: number;
  readonly value: string;
}

/** What some operations have, and others not: see {@link Operation}. */
interface Details {
  /**
   * Ttl of the key in ms; of a revoke, of the record. For a release: how long a key of this attempt can live at most,
   * which is how long the release is worth keeping for a node that is down.
   */
  readonly ttlMs: number;
  /** The part of it that allows for steps of the node's clock, ms; undefined: nothing. */
  readonly marginMs: number | undefined;
  /** How long the name is kept after a lease that was extended beyond its ttl, ms: its ownerId says less. */
  readonly keptMs: number | undefined;
  /** Proposal (acquire) or token; undefined where fencing is off. */
  readonly fence: number | undefined;
  /**
   * For an acquire: who enters the queue if it is refused (and leaves it if granted). For a release: who enters it
   * before the next waiter is notified; with ticket 0 nobody does, and what its owner has left there is withdrawn. For a
   * leave: who leaves it. For a heal: whose reservation counts as a free
   * key.
   */
  readonly waiter: Waiter | undefined;
  /** The acquire takes an exclusive lock of one name over from this owner. */
  readonly previousId: string | undefined;
  /** The acquire takes several names, of which these owners of this process have some: they become part of it. */
  readonly partIds: readonly string[] | undefined;
  /**
   * The release keeps the name closed: the longest remaining life of the key, ms; it is never extended. Only for an
   * exclusive lock of one name; nobody enters its queue then.
   */
  readonly keepMs: number | undefined;
  /** Of a release: for the fence of a waiter whose deferred acquire is executed with it. */
  readonly proposal: number | undefined;
  /** The acquire takes the name, whoever holds it: an exclusive lock of one name, and without a waiter. */
  readonly preempts: boolean | undefined;
  /** If others hold the name, the acquire is told how many wait for it. It has no waiter. */
  readonly countsWaiters: boolean | undefined;
  /** Of an extend and a heal: kept beside the lock. Of a release: it ends with the lock. */
  readonly proclaimed: Proclaimed | undefined;
  /** A refresh concerns no other name. All of one inbox, the owner; none of a set. */
  readonly places: readonly Place[];
}

/** One kind of operation, with the details that it must have and may have. */
type Asks<
  Kind extends OperationKind,
  Must extends keyof Details = never,
  May extends keyof Details = never,
> = {
  readonly kind: Kind;
  readonly keys: LockKind;
  /**
   * The value of the lock key for this attempt. Of a leave and a refresh: the inbox. Of an expire: the signs. Of an
   * inspect and a size: nothing. Of a watch: a secret, by which the node's messages are proven unless it has one.
   */
  readonly ownerId: string;
  /**
   * Instant (lease clock, ms) after which the operation must not be sent any more: otherwise a queued acquire would
   * run seconds later, for a caller that has given up.
   */
  readonly sendBeforeMs: number;
  /**
   * How many numbers it has in its batch, by how much there is to do: a refresh one for each of its names, which may be in
   * several hash slots of a Cluster.
   */
  readonly numberCount: number;
  /** Of how many names it is, or of a refresh how many places it has. */
  readonly nameCount: number;
  /** Cache of a transport that encodes an operation once for all nodes; private to it. */
  wire: unknown;
} & Pick<Details, Must> &
  Partial<Pick<Details, May>>;

/** One step that a node is asked for. Built by {@link newOperation} only. */
export type Operation =
  | Asks<
      "acquire",
      "ttlMs" | "fence",
      "marginMs" | "waiter" | "previousId" | "partIds" | "preempts" | "countsWaiters"
    >
  | Asks<"seal", "fence">
  | Asks<"extend", "ttlMs" | "fence", "marginMs" | "keptMs" | "proclaimed">
  | Asks<"heal", "ttlMs" | "fence", "marginMs" | "keptMs" | "waiter" | "proclaimed">
  | Asks<"release", "ttlMs" | "fence", "keptMs" | "waiter" | "keepMs" | "proposal" | "proclaimed">
  | Asks<"leave", "waiter">
  | Asks<"refresh", "places">
  | Asks<"inspect">
  | Asks<"watch">
  | Asks<"size">
  | Asks<"expire">
  | Asks<"revoke", "ttlMs">;

/** The operations of a kind. */
export type OperationOf<Kind extends OperationKind> = Extract<Operation, { readonly kind: Kind }>;

/** An operation of any kind, for code that treats all alike: a detail that its kind does not have is undefined. */
export type AnyOperation = Asks<OperationKind> & {
  readonly [Name in keyof Details]?: Details[Name] | undefined;
};

/** What an operation of that kind, or of one of those kinds, is built from. */
export type PartsOf<Kind extends OperationKind> = Kind extends OperationKind
  ? Omit<OperationOf<Kind>, "kind" | "numberCount" | "nameCount" | "wire">
  : never;

/**
 * Whatever its kind, it has the same members in the same order: the encoder, which reads all kinds, is faster where V8
 * sees one shape. So ask for its kind, and not whether it has a member.
 */
export function newOperation<Kind extends OperationKind>(
  kind: Kind,
  parts: PartsOf<Kind>,
): OperationOf<Kind>;
export function newOperation(
  kind: OperationKind,
  parts: Omit<AnyOperation, "kind" | "numberCount" | "nameCount" | "wire">,
): AnyOperation {
  const { keys, ownerId, ttlMs, marginMs, keptMs, fence, sendBeforeMs } = parts;
  const { waiter, previousId, partIds, keepMs, proposal } = parts;
  const { preempts, countsWaiters, proclaimed, places } = parts;
  return {
    kind,
    keys,
    ownerId,
    ttlMs,
    marginMs,
    keptMs,
    fence,
    sendBeforeMs,
    waiter,
    previousId,
    partIds,
    keepMs,
    proposal,
    preempts,
    countsWaiters,
    proclaimed,
    places,
    numberCount: places?.length ?? 1,
    nameCount: places?.length ?? keys.lockKeys.length,
    wire: undefined,
  };
}

/**
 * Why a node's answer does not count. Only `sent` faults may have had an effect on the node.
 *
 * - `timeout`: no answer within the node's deadline
 * - `late`: this process was too busy to send it in time
 * - `disconnected`: no connection, or it closed before the answer
 * - `suspected`: earlier operations are unanswered; this one was not sent
 * - `quarantined`: the node lost keys recently; its acquire votes do not count yet
 * - `misconfigured`: a replica, a server given twice, wrong credentials, an evicting policy
 * - `implausible`: it granted with a fence that it cannot have, see `protocol/fencing`
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
  | "implausible"
  | "server"
  | "closed";

export interface GrantedVote {
  readonly kind: "granted";
  /** The node's fence after an acquire or a seal; 0 for other operations and without fencing. */
  readonly fence: number;
  /** For a waiter: whether the key was the previous owner's, so that this step has released it. */
  readonly isHandedOver?: boolean;
  /** For a waiter: whether other processes are in the node's queue. */
  readonly isWaitedFor?: boolean;
  /** For a refresh. */
  readonly looks?: Looks;
  /** For an inspect and a watch. */
  readonly snapshot?: NameSnapshot;
  /** For a size: the permits that are free on this node. */
  readonly freePermits?: readonly number[];
  /** Of a semaphore: its size on this node. For a size; otherwise only where it is newer than the one that was sent. */
  readonly size?: SemaphoreSize;
}

/** What is stored under a name on one node. The owners are complete, and so secrets. */
export interface NameSnapshot {
  /** What the lock key contains: an owner, the kind of owners next to it, or for whom it is reserved. */
  readonly holder: string | undefined;
  /** Remaining ttl of the lock key, ms. */
  readonly remainingMs: number;
  /** The node's counter. */
  readonly fence: number | undefined;
  /** Processes in the queue. */
  readonly waitingCount: number;
  /** The hash of what the lock key contains: no secret. */
  readonly who?: string | undefined;
  /** What the holder has proclaimed there, and its token. */
  readonly proclaimed?: (Proclaimed & { readonly token: number }) | undefined;
  /** The longest ttl and the largest clock margin of any client, as the node's record has them, ms; 0 without a record. */
  readonly longest?: { readonly maxTtlMs: number; readonly clockStepMs: number } | undefined;
  /** Of a watch: by which the node proves its messages; "" where it sends none. */
  readonly secret?: string | undefined;
  /** The texts of the holders next to the lock key; a permit has its number before the owner. */
  readonly coHolders: readonly { readonly text: string; readonly remainingMs: number }[];
}

export interface RefusedVote {
  readonly kind: "refused";
  /**
   * `free`: the key is missing. `foreign`: the key is foreign data, or a lock in another layout. `ended`: for a heal,
   * or an acquire that arrives late, because an operator has ended this lock.
   */
  readonly reason: "held" | "free" | "foreign" | "ended";
  /** Remaining ttl of the holder's key, in ms. */
  readonly remainingMs: number;
  /** In how many ms its holder is overdue, where that is before the key expires; see `protocol/overdue`. */
  readonly overdueInMs?: number;
  /** The holder's label; for foreign data, its type or the layout in which it is a lock. */
  readonly label: string | undefined;
  /** Of a set: the lock key that refuses it; for foreign data, where that is not the first. */
  readonly key?: string;
  /** Held by readers. */
  readonly isShared?: boolean;
  /**
   * The beginning of the holder's ownerId; undefined where that is no single client: a reservation, readers, foreign
   * data.
   */
  readonly holder?: string | undefined;
  /** Signs of the holders, see `protocol/overdue`; "" where there are none. */
  readonly signs?: string;
  /** To an acquire that asked for it: how many processes are in the node's queue. */
  readonly waitingCount?: number;
  /** For a permit: how many of them are taken on this node. */
  readonly takenPermits?: number;
  /** For a permit: the smallest that are free on this node; none where others that came before wait for them. */
  readonly freePermits?: readonly number[];
  /** The size of the semaphore on this node, where it is newer than the one that was sent. */
  readonly size?: SemaphoreSize;
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

/** The vote of a node that has not answered in time. */
export function silentVote(timeoutMs: number): FaultVote {
  return faultVote("timeout", true, `no answer within ${Math.round(timeoutMs)} ms`);
}

/** Votes by node index, as a round collects them and as errors and reports carry them. */
export type Votes = readonly (Vote | undefined)[];
