import type { ChannelSettings } from "./channel-settings.js";
import type { Vote } from "../protocol/operation.js";
import type { Entry } from "./entry.js";
import type { ConnectionFailure } from "./transport.js";

/** Settings of a pipeline. */
export type PipelineSettings = Pick<
  ChannelSettings,
  "nodeCount" | "driftFactor" | "suspectAfterMs" | "giveUpAfterMs"
>;

/** The pipeline's interface to its channel. */
export interface PipelineEvents {
  /**
   * Why the node must get no acquire now; undefined if it may. Asked when one is sent, not only when it is submitted:
   * meanwhile the node may have lost its data and have a new record.
   */
  acquireProblem(): string | undefined;
  /** The node's record differs from the one that the batch named. */
  onForgot(): void;
  /** To be passed on to the entry's receiver. */
  onVote(entry: Entry, vote: Vote): void;
  /** An answer carried the node's time. */
  onNodeTime(nodeMs: number, roundTripMs: number): void;
  /** The connection must be closed. */
  onBroken(failure: ConnectionFailure): void;
  /** The answer to `Pipeline.isSuspected` changed. */
  onSuspicion(): void;
}
