export interface ChannelSettings {
  readonly nodeCount: number;
  /** Longest life of a key, ms; `NodeChannel.allowTtl` raises it. */
  readonly maxTtlMs: number;
  /** The most that a node's clock may gain on real time, ms. */
  readonly clockStepMs: number;
  /** What the clocks of client and node may differ in rate. */
  readonly driftFactor: number;
  readonly isDurable: boolean;
  /** An evicting policy is reported, but the node is used. */
  readonly isEvictionAllowed: boolean;
  /** Whether batches name the incarnation they know, so that a node that forgot grants nothing. */
  readonly isIncarnationCompared: boolean;
  /** Deadline for connecting and for the handshake, ms. */
  readonly handshakeTimeoutMs: number;
  /** An operation unanswered for so long makes the node suspected, ms. */
  readonly suspectAfterMs: number;
  /** Unanswered for so long, the connection is given up and opened anew, ms. */
  readonly giveUpAfterMs: number;
}
