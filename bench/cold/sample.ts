/** What one fresh process measured. Not a number where the library locks nothing. */
export interface ColdSample {
  /** CPU time of importing the library and what its user has to import beside it, ms. */
  readonly importCpuMs: number;
  /** From opening the connections until the first lock is held, ms. */
  readonly firstLockMs: number;
  /** CPU time of that, ms. */
  readonly firstLockCpuMs: number;
  /** CPU time of the first cycles of acquire and release after it, microseconds a cycle. */
  readonly cycleCpuUs: number;
}
