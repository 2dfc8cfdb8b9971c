/**
 * The machine's monotonic clock, the same for all processes of a campaign: readings of any two of
 * them can be compared. It never stands still while a process is stopped.
 */
export type NowUs = () => number;

/** Microseconds since `startNs`, a reading of `process.hrtime.bigint()` by any process of this host. */
export function clockSince(startNs: bigint): NowUs {
  return () => Number((process.hrtime.bigint() - startNs) / 1_000n);
}
