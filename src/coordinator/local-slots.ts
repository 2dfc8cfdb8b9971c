import type { LockKind } from "../protocol/lock-kind.js";

/**
 * The semaphore slots that this process holds or asks for, so that its own calls do not collide. It knows nothing of
 * other processes: a hint that no guarantee relies on.
 */
export class LocalSlots {
  readonly #taken = new Map<string, Set<number>>();

  /**
   * A random slot that this process neither holds nor asks for, or any slot if there is none. @param unit in [0, 1)
   */
  pick({ waitQueueKey }: LockKind, slots: readonly number[], unit: number): number {
    const taken = this.#taken.get(waitQueueKey);
    const others = taken === undefined ? slots : slots.filter((slot) => !taken.has(slot));
    const choice = others.length > 0 ? others : slots;
    return choice[Math.floor(unit * choice.length)] ?? 0;
  }

  add(keys: LockKind): void {
    const slot = keys.slots?.slot;
    if (slot === undefined) return;
    const taken = this.#taken.get(keys.waitQueueKey) ?? new Set();
    this.#taken.set(keys.waitQueueKey, taken.add(slot));
  }

  delete(keys: LockKind): void {
    const slot = keys.slots?.slot;
    const taken = this.#taken.get(keys.waitQueueKey);
    if (slot === undefined || taken === undefined) return;
    taken.delete(slot);
    if (taken.size === 0) this.#taken.delete(keys.waitQueueKey);
  }
}
