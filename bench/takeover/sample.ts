/** Time from the kill of a holder until another client had its lock. */
export interface TakeoverSample {
  /** A client that was waiting in another process when the holder was killed, ms. */
  readonly waiterMs: number;
  /** A process that was started when the holder was killed, and waits, ms. */
  readonly newcomerMs: number;
  /** The times of the first of {@link TakeoverPlan.clockStepsMs} in this round. */
  readonly base: { readonly waiterMs: number; readonly newcomerMs: number };
}
