/** Time from the kill of a holder until another client had its lock. */
export interface TakeoverSample {
  /** One that waited in a process of its own when the holder was killed, ms. */
  readonly waiterMs: number;
  /** A process that was started when the holder was killed, and waits, ms. */
  readonly newcomerMs: number;
  /** What the first of {@link TakeoverPlan.clockStepsMs} took in this round. */
  readonly base: { readonly waiterMs: number; readonly newcomerMs: number };
}
