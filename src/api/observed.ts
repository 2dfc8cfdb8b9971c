/** Who holds a name: a result of {@link LockManager.observe}. */
export interface ObservedHolder {
  /** What it calls itself; undefined without a label, and for those that hold the name together. */
  readonly label: string | undefined;
  /** What it says of itself: see {@link AcquireOptions.value} and {@link Term.proclaim}. */
  readonly value: string | undefined;
  /**
   * Its fencing token, for a leader and for a lock with a `value`. Otherwise it may be above that, where another name
   * shares the counter, and up to 16 below it, where the lock was passed on within its process, which is not shown.
   */
  readonly fence: number;
  /** When it got the name: by the clock of its process, as far as those of the nodes agree. */
  readonly since: Date;
}
