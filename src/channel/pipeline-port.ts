import type { ChannelSettings } from "./channel-settings.js";
import type { ConnectionFailure } from "./transport.js";

/** What a pipeline goes by. */
export type PipelineSettings = Pick<
  ChannelSettings,
  "nodeCount" | "driftFactor" | "suspectAfterMs" | "giveUpAfterMs"
>;

/** What a pipeline asks and tells its channel. */
export interface PipelineEvents {
  /**
   * Why the node must get no acquire now; undefined if it may. Asked when one is sent, not only when
   * it is submitted: meanwhile the node may have forgotten, and have a new record.
   */
  acquireProblem(): string | undefined;
  /** The node's record is another than the batch named. */
  onForgot(): void;
  /** The node has told its time, in an answer that took so long, ms. */
  onNodeTime(nodeMs: number, roundTripMs: number): void;
  /** The connection must be given up. */
  onBroken(failure: ConnectionFailure): void;
  /** The answer to `Pipeline.isSuspected` changed. */
  onSuspicion(): void;
}
