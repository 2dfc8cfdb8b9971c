import type { PermitOptions } from "./options.js";
import type { Lock } from "./lock.js";

/**
 * A name with a limited number of holders. Each permit is a {@link Lock}: acquired, renewed, lost and released
 * separately. All users of the name must agree on the number of permits, until it is resized.
 *
 * An interface, so that a test double can implement it.
 */
export interface Semaphore {
  readonly name: string;
  /** How many there are, as far as this process knows: it hears of a resize when it next asks the nodes for something. */
  readonly permits: number;

  /**
   * Acquires a permit, waiting up to `waitMs` while all are held or nodes are unreachable.
   *
   * @throws like {@link LockManager.acquire}; PermitsMismatchError, immediately, if the semaphore exists with a
   *   different number of permits; RangeError if it has fewer than are wanted, also once it has been resized meanwhile.
   */
  acquire(options?: PermitOptions): Promise<Lock>;

  /**
   * A permit, or null if all are held. Tries again if nodes report another permit as free. Settles within three
   * times `nodeTimeoutMs`, plus `waitMs` if that is given with the call.
   *
   * @throws like {@link Semaphore.acquire}, but never because all are held.
   */
  tryAcquire(options?: PermitOptions): Promise<Lock | null>;

  /**
   * Acquires a permit, runs the callback, and releases the permit. Returns the callback's result, or rejects
   * with its error.
   *
   * @throws like {@link Semaphore.acquire}; the callback's error; LockLostError if the permit was lost
   *   meanwhile, like {@link LockManager.request}.
   */
  request<T>(callback: (lock: Lock) => T): Promise<Awaited<T>>;
  request<T>(options: PermitOptions, callback: (lock: Lock) => T): Promise<Awaited<T>>;

  /**
   * Changes the number of permits, for all users of the name, permanently: a quorum of nodes has stored it when this
   * resolves, and the `permits` that users give count no more. Whoever waits is let in at once where there are more.
   * Where there are fewer, nobody loses a permit: those beyond the new number end with their holders. Meanwhile there
   * are never more holders than the larger of the two numbers. Of several calls at a time, one is the last.
   *
   * @throws RangeError or TypeError like `permits`; ClosedError; NoQuorumError or MisconfiguredError if no quorum of
   *   nodes has stored it within `nodeTimeoutMs`: some may have, and it may yet count. To make sure, call it again.
   */
  resize(permits: number): Promise<void>;

  /**
   * How many permits a quorum of nodes had free: a snapshot for dashboards, which may be outdated when it arrives. Only
   * an acquire gets a permit. Waiters are not subtracted; a permit counts as taken while it is kept for one of them, and while
   * nodes that did not answer may have given it to somebody.
   *
   * @throws ClosedError; NoQuorumError or MisconfiguredError if no quorum of nodes answers within `nodeTimeoutMs`;
   *   PermitsMismatchError like {@link Semaphore.acquire}
   */
  available(): Promise<number>;
}
