import type { PermitOptions } from "../options.js";
import type { Lock } from "./lock.js";

/**
 * A name that so many can hold at once. Each permit is a {@link Lock}: acquired, renewed, lost and
 * released by itself. Whoever uses the name has to agree on how many permits there are.
 *
 * An interface, so that a test double can implement it.
 */
export interface Semaphore<Fencing extends boolean = true> {
  readonly name: string;
  readonly permits: number;

  /**
   * Acquires a permit, waiting up to `waitMs` while all are held or nodes are missing.
   *
   * @throws as {@link LockManager.acquire} does; PermitsMismatchError, at once, if the name is a
   *   semaphore of another number of permits on the nodes.
   */
  acquire(options?: PermitOptions<Fencing>): Promise<Lock<Fencing>>;

  /**
   * A permit, or null if all are held. Asks more than once where nodes say that another is free: it
   * is settled within three times `nodeTimeoutMs`.
   *
   * @throws as {@link Semaphore.acquire} does, but never because all are held.
   */
  tryAcquire(options?: PermitOptions<Fencing>): Promise<Lock<Fencing> | null>;

  /**
   * Acquires a permit, runs the callback, releases the permit. What the callback returns or throws
   * is what comes out.
   *
   * @throws as {@link Semaphore.acquire} does; what the callback throws; LockLostError if the permit
   *   was lost meanwhile, as {@link LockManager.request} does.
   */
  request<T>(callback: (lock: Lock<Fencing>) => T): Promise<Awaited<T>>;
  request<T>(
    options: PermitOptions<Fencing>,
    callback: (lock: Lock<Fencing>) => T,
  ): Promise<Awaited<T>>;
}
