import type { LockKind } from "../protocol/lock-kind.js";

/**
 * The semaphore permits that this process holds or asks for, so that its own calls do not collide. It knows nothing of
 * other processes: a hint that no guarantee relies on.
 */
export class LocalPermits {
  readonly #taken = new Map<string, Set<number>>();

  /**
   * A random permit that this process neither holds nor asks for, or any permit if there is none. @param unit in [0, 1)
   */
  pick({ waitQueueKey }: LockKind, permits: readonly number[], unit: number): number {
    const taken = this.#taken.get(waitQueueKey);
    const others = taken === undefined ? permits : permits.filter((permit) => !taken.has(permit));
    const choice = others.length > 0 ? others : permits;
    return choice[Math.floor(unit * choice.length)] ?? 0;
  }

  add(keys: LockKind): void {
    const permit = keys.permits?.permit;
    if (permit === undefined) return;
    const taken = this.#taken.get(keys.waitQueueKey) ?? new Set();
    this.#taken.set(keys.waitQueueKey, taken.add(permit));
  }

  delete(keys: LockKind): void {
    const permit = keys.permits?.permit;
    const taken = this.#taken.get(keys.waitQueueKey);
    if (permit === undefined || taken === undefined) return;
    taken.delete(permit);
    if (taken.size === 0) this.#taken.delete(keys.waitQueueKey);
  }
}
