/** What the process that waits used while nothing happened. */
export interface IdleSample {
  /** CPU time of the process, as a share of one core. */
  readonly clientCpuShare: number;
  /** CPU time of one node, as a share of one core. What the holder's renewals cost is in it. */
  readonly serverCpuShare: number;
  /** Script calls to a node, a second, the holder's included. */
  readonly callsPerNode: number;
}

/** What one run measured: a process that waits for many names, and is given all of them in the end. */
export interface WaitedSample extends IdleSample {
  /** From the call of release in one process to the grant in the other, ms. */
  readonly wakeP50Ms: number;
  readonly wakeP99Ms: number;
  readonly wakeMaxMs: number;
  /** Names that were not granted within {@link LATE_MS} after their release: no message woke them. */
  readonly lateCount: number;
}

/** Far above what a message takes, and less than half the time after which a refresh makes up for a lost one. */
export const LATE_MS = 1_000;
