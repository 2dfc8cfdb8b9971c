import type { PermitOptions } from "./options.js";
import type { Lock } from "./lock.js";

/**
 * A name with a limited number of holders. Each permit is a {@link Lock}: acquired, renewed, lost and released
 * separately. All users of the name must agree on the number of permits.
 *
 * An interface, so that a test double can implement it.
 */
export interface Semaphore {
  readonly name: string;
  readonly permits: number;

  /**
   * Acquires a permit, waiting up to `waitMs` while all are held or nodes are unreachable.
   *
   * @throws like {@link LockManager.acquire}; PermitsMismatchError, immediately, if the semaphore exists with a
   *   different number of permits.
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
}
