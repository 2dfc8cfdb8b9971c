/** Measurements of one run: a process that holds locks and does nothing else. */
export interface HoldingSample {
  /** CPU time of the process, as a share of one core. */
  readonly clientCpuShare: number;
  /** CPU time of all nodes together, as a share of one core. */
  readonly serverCpuShare: number;
  /** Heap per lock, after garbage collection. */
  readonly heapBytesPerLock: number;
  /** Script calls per node and second. */
  readonly callsPerNode: number;
  /** Commands that a node executes per second, including those called by scripts. */
  readonly executedPerNode: number;
  /** Median time of a single acquire while the locks are held, ms. */
  readonly acquireP50Ms: number;
  readonly acquireP99Ms: number;
  /** Locks that were lost. */
  readonly lostCount: number;
}

/** The same; then another process ends some of the locks by force. */
export interface HeldSample extends HoldingSample {
  /** From the return of that call until the signal of the lock fires, ms. */
  readonly toldP50Ms: number;
  readonly toldMaxMs: number;
  /** Signals that fired too late for a message. */
  readonly untoldCount: number;
}
