/** Measurements of one fresh process. NaN where the library locks nothing. */
export interface ColdSample {
  /** CPU time of importing the library and what its user has to import with it, ms. */
  readonly importCpuMs: number;
  /** From opening the connections until the first lock is held, ms. */
  readonly firstLockMs: number;
  /** CPU time of the first lock, ms. */
  readonly firstLockCpuMs: number;
  /** CPU time of the first cycles of acquire and release after it, microseconds per cycle. */
  readonly cycleCpuUs: number;
}
