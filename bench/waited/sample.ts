/** Resources that the waiting process used while nothing happened. */
export interface IdleSample {
  /** CPU time of the process, as a share of one core. */
  readonly clientCpuShare: number;
  /** CPU time of one node, as a share of one core. Includes the cost of the holder's renewals. */
  readonly serverCpuShare: number;
  /** Script calls per node and second, including the holder's. */
  readonly callsPerNode: number;
}

/** Measurements of one run: a process that waits for many names, and acquires all of them in the end. */
export interface WaitedSample extends IdleSample {
  /** From the call of release in one process to the grant in the other, ms. */
  readonly wakeP50Ms: number;
  readonly wakeP99Ms: number;
  readonly wakeMaxMs: number;
  /** Names that were not granted within {@link LATE_MS} of their release: no message woke them. */
  readonly lateCount: number;
}

/** Far more than a message takes, and less than half the time after which a refresh makes up for a lost one. */
export const LATE_MS = 1_000;
