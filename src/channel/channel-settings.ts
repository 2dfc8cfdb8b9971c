import type { Excuses } from "../protocol/capabilities.js";

export interface ChannelSettings extends Excuses {
  readonly nodeCount: number;
  /** To what the longest ttl on record is raised, ms; 0 leaves it. `NodeChannel.allowTtl` asks for more. */
  readonly raisedTtlMs: number;
  /** Maximum difference in rate between the clocks of client and node. */
  readonly driftFactor: number;
  readonly isDurable: boolean;
  /** No locks are taken, and nothing is written to the record. */
  readonly isLooking: boolean;
  /** Whether batches name the incarnation they know, so that a node that lost its data grants nothing. */
  readonly isIncarnationCompared: boolean;
  /** Deadline for connecting and for the handshake, ms. */
  readonly handshakeTimeoutMs: number;
  /** An operation unanswered for this long makes the node suspected, ms. */
  readonly suspectAfterMs: number;
  /** If unanswered for this long, the connection is closed and reopened, ms. */
  readonly giveUpAfterMs: number;
}
