import type { ChannelState } from "./channel/channel-state.js";
import type { LossReason } from "./coordinator/loss.js";
import type { LockKind } from "./protocol/lock-kind.js";

/** State of one node, as this manager sees it. */
export type NodeState = ChannelState;

/** One node as {@link LockManager.nodes} shows it. */
export interface NodeStatus {
  readonly node: string;
  readonly state: NodeState;
  /** Why, in a few words. */
  readonly detail: string;
  /** What is left of the node's quarantine, ms. */
  readonly quarantineLeftMs: number;
  /**
   * How far the node's wall clock is ahead of this process's, ms, less than 0 if it is behind: as of the last answer
   * that told, to within half of what that took. Undefined if none did.
   */
  readonly clockOffsetMs: number | undefined;
}

/** Of how many nodes locks need the votes, and how many vote. */
export interface QuorumStatus {
  readonly nodeCount: number;
  /** So many votes make a lock. */
  readonly size: number;
  /** So many nodes are `ready` now. */
  readonly votes: number;
}

/** A lock that was not renewed in time, and is not lost yet. */
export interface LateLock {
  readonly name: string;
  readonly names: readonly string[];
  readonly mode: LockKind["mode"];
  readonly fencingToken: number | undefined;
  /** Since when its renewal was due, ms. */
  readonly lateMs: number;
  /** What is left of its validity, ms. */
  readonly remainingMs: number;
}

/** Events of a {@link LockManager}, with what their listeners are given. */
export interface LockManagerEvents {
  /** A node's state changed. */
  node: [status: NodeStatus];
  /**
   * A lock that is renewed by itself was not, and ends in `lossNoticeMs` or less unless a renewal still succeeds: the time
   * to stop what it protects in good order. Once until it is extended. If it is not, `lost` follows; a process that did not
   * run for that long tells of the loss alone. Whoever begins to listen hears of renewals that are due from then on.
   */
  late: [lock: LateLock];
  /** A lock was lost. Its own `signal` tells it first. */
  lost: [event: { readonly name: string; readonly reason: LossReason }];
  /**
   * Something an operator should know: an even node count, a misconfigured node, a node whose clock is off, clients that are
   * configured with another number of nodes, a ttl so short that it was probably meant in seconds. Goes to `process.emitWarning` if nobody listens.
   */
  warning: [warning: QuorateWarning];
}

export interface QuorateWarning {
  readonly code:
    | "QUORATE_CLOCK_OFFSET"
    | "QUORATE_EVEN_NODE_COUNT"
    | "QUORATE_MISCONFIGURED_NODE"
    | "QUORATE_NODE_COUNT_MISMATCH"
    | "QUORATE_SHORT_TTL";
  readonly message: string;
}
