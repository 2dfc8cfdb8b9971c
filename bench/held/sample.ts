/** What one run measured: a process that holds locks and does nothing else. */
export interface HeldSample {
  /** CPU time of the process, as a share of one core. */
  readonly clientCpuShare: number;
  /** CPU time of all nodes together, as a share of one core. */
  readonly serverCpuShare: number;
  /** Heap that each lock takes, after garbage collection. */
  readonly heapBytesPerLock: number;
  /** Script calls to a node, a second. */
  readonly callsPerNode: number;
  /** Commands that a node executes, a second, those of scripts included. */
  readonly executedPerNode: number;
  /** Time that a single acquire took beside them, ms. */
  readonly acquireP50Ms: number;
  readonly acquireP99Ms: number;
  /** Locks that were lost. */
  readonly lostCount: number;
}
