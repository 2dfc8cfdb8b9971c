/**
 * The host's monotonic clock. It is the same for all processes of a campaign, so readings of different processes
 * can be compared. It does not stop while a process is stopped.
 */
export type NowUs = () => number;

/** Microseconds since `startNs`, a reading of `process.hrtime.bigint()` by any process of this host. */
export function clockSince(startNs: bigint): NowUs {
  return () => Number((process.hrtime.bigint() - startNs) / 1_000n);
}
