import type { LockMode } from "./options.js";

/** A holder of a name on some node. */
export interface HolderReport {
  /** Tells holders apart, and is the same in every report; says nothing of the ownerId. */
  readonly fingerprint: string;
  /** What the holder calls itself, if it gave a label. */
  readonly label?: string;
  /** Several names that are locked together are each shown as `exclusive`, and so are permits. */
  readonly mode: LockMode;
  /** The owner, if one was given; each hold of an owner is shown separately. */
  readonly owner?: string;
  /** Which permit of a semaphore it is, from 0; of several the smallest. */
  readonly permit?: number;
  /** Which permits of a semaphore it has, ascending. */
  readonly permits?: readonly number[];
  /**
   * How much of its lease is left, by the nodes' clocks, ms: {@link HolderReport.freeInMs} without the largest clock
   * margin (`clockStepMs`) that a client of the nodes has on record. A step of these clocks changes it until the renewal.
   */
  readonly remainingMs: number;
  /** For how long a quorum of nodes keeps it unless it is renewed, ms; the longest without a quorum. */
  readonly freeInMs: number;
  /** The nodes on which it stands. */
  readonly nodes: readonly string[];
  /** Whether those are a quorum: without, it does not hold the lock, or no more. */
  readonly isQuorate: boolean;
}

/** One node's part in a {@link LockReport}. */
export interface NodeReport {
  /** `host:port` of the node, as configured. */
  readonly node: string;
  /**
   * - `held`: by those of `fingerprints`
   * - `free`: not held
   * - `turn`: not held, and reserved for a moment for a waiter
   * - `foreign`: the key holds data that is not a lock
   * - `unanswered`: nothing is known; `message` says why
   */
  readonly state: "held" | "free" | "turn" | "foreign" | "unanswered";
  readonly fingerprints: readonly string[];
  /** How long the node keeps the lock key unless it is renewed, ms; the reader's that lives longest. */
  readonly freeInMs: number;
  /** Processes in this node's queue. */
  readonly waitingCount: number;
  /** This node's fence, which the name may share with others: the token of the last grant, or above it. */
  readonly fence?: number;
  readonly message?: string;
}

/** Who holds a name, as far as the nodes say. Plain data: safe to log, to send, to keep. */
export interface LockReport {
  readonly name: string;
  /**
   * - `held`: a quorum of nodes agrees on one holder (or on at least one reader)
   * - `free`: a quorum of nodes reports that the name is free
   * - `undecided`: neither; nodes are missing, or the lock is just changing hands
   */
  readonly state: "held" | "free" | "undecided";
  /** Whether a quorum agrees: `state` is not `undecided`. */
  readonly isQuorate: boolean;
  /** All holders that were found on any node, those on most nodes first. */
  readonly holders: readonly HolderReport[];
  /** Waiting processes, by the longest queue; a process has one entry, for the first of its waiters. */
  readonly waitingCount: number;
  /**
   * The fence of a quorum of nodes, where they agree: the token of the last grant, unless a name that shares the
   * fence was locked later. A lock that was passed on within its process has a token of up to 16 more.
   */
  readonly fencingToken?: number;
  /** Node by node, in configured order. */
  readonly nodes: readonly NodeReport[];
}

/** Settings of {@link LockManager.forceRelease}. */
export interface ForceReleaseOptions {
  /**
   * Only this holder, as {@link LockManager.inspect} shows it; a later holder keeps its lock. Left out: all holders. Not
   * `undefined`, which an inspection that has found nobody would give.
   */
  readonly fingerprint?: string;
}

/** The outcome of {@link LockManager.forceRelease}. Plain data. */
export interface ForceReleaseResult {
  readonly name: string;
  /**
   * Who was removed from one node at least, as they stood there before. Empty: nobody had it, or
   * they were gone by themselves when it came to that.
   */
  readonly removed: readonly HolderReport[];
  /** The nodes that have let go of them, and remember that. */
  readonly nodes: readonly string[];
  /**
   * Whether those are a quorum. If not, the other nodes get the release when they are back, and the holder may
   * still hold the lock: try again.
   */
  readonly isQuorate: boolean;
}

/** One lock, held or waited for, in the shape of the Web Locks API. */
export interface LockInfo {
  readonly name: string;
  readonly mode: LockMode;
  /** The lock manager, the same for all of its locks and no other's. */
  readonly clientId: string;
}

/** What one lock manager holds and waits for, in the shape of the Web Locks API. */
export interface LockManagerSnapshot {
  readonly held: LockInfo[];
  readonly pending: LockInfo[];
}
