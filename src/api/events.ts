import type { ChannelState } from "../channel/channel-state.js";
import type { LossReason } from "../coordinator/loss.js";
import type { LockKind } from "../protocol/lock-kind.js";

/** State of one node, as this manager sees it. */
export type NodeState = ChannelState;

/** One node as {@link LockManager.nodes} shows it. */
export interface NodeStatus {
  readonly node: string;
  readonly state: NodeState;
  /** The reason, briefly. */
  readonly detail: string;
  /** Remaining quarantine of the node, ms. */
  readonly quarantineLeftMs: number;
  /**
   * How far the node's wall clock is ahead of this process's, ms; negative if it is behind. From the latest
   * reply with the node's time, accurate to half of its round trip. Undefined if there was none.
   */
  readonly clockOffsetMs: number | undefined;
}

/** Votes that a lock needs, and nodes that vote. */
export interface QuorumStatus {
  readonly nodeCount: number;
  /** Votes that a lock needs. */
  readonly size: number;
  /** Nodes that are `ready` now. */
  readonly votes: number;
}

/** A lock that was not renewed in time, and is not lost yet. */
export interface LateLock {
  readonly name: string;
  readonly names: readonly string[];
  readonly mode: LockKind["mode"];
  readonly fencingToken: number | undefined;
  /** How long its renewal has been due, ms. */
  readonly lateMs: number;
  /** Remaining validity, ms. */
  readonly remainingMs: number;
}

/** Events of a {@link LockManager}, with the arguments of their listeners. */
export interface LockManagerEvents {
  /** A node's state changed, or the reason for which it is misconfigured. */
  node: [status: NodeStatus];
  /**
   * The renewal of a lock is failing, and the lock ends in `lossNoticeMs` or less unless a renewal still
   * succeeds: time to stop the protected work. Fires once until the lock is extended. If it is not, `lost`
   * follows; a process that did not run for that long only gets `lost`. New listeners get renewals that are due
   * from then on.
   */
  late: [lock: LateLock];
  /** A lock was lost. Its own `signal` is aborted first. */
  lost: [event: { readonly name: string; readonly reason: LossReason }];
  /**
   * Something that an operator should know, such as a misconfigured node, or clients with other nodes: its `code` says
   * what. Goes to `process.emitWarning` if there are no listeners.
   */
  warning: [warning: QuorateWarning];
}

/** What the event `warning` reports: a stable code, and a message with what was found and what to do. */
export interface QuorateWarning {
  readonly code:
    /** The callback of a `request` goes on after its lock was lost and `lossGraceMs` is over. */
    | "QUORATE_CALLBACK_OVERRUN"
    /** A node's clock is off the median of the nodes and this process. */
    | "QUORATE_CLOCK_OFFSET"
    /** The function `credentials` of a node failed, has not answered, or the server refuses what it returned. */
    | "QUORATE_CREDENTIALS"
    /** The number of nodes is even: one node fewer tolerates as many failures. */
    | "QUORATE_EVEN_NODE_COUNT"
    /** A node has a fence that is years ahead. Its votes for these names do not count. */
    | "QUORATE_IMPLAUSIBLE_FENCE"
    /** The longest ttl on the nodes' records is not what this manager would use, or it was raised. */
    | "QUORATE_MAX_TTL"
    /** A node answers, but must not vote. */
    | "QUORATE_MISCONFIGURED_NODE"
    /** A node notifies no waiters: nobody may subscribe, or no script may publish. */
    | "QUORATE_NO_MESSAGES"
    /** Other clients of the nodes have other lists of nodes. */
    | "QUORATE_NODE_LIST_MISMATCH"
    /** A node's replies were not those of the requests. The connection was closed. */
    | "QUORATE_REPLIES_OUT_OF_STEP"
    /** `ttlMs` is below 100, so it was probably meant in seconds. */
    | "QUORATE_SHORT_TTL";
  readonly message: string;
}
