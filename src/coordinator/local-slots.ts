import type { LockKind } from "../protocol/lock-kind.js";

/**
 * Which slots of which semaphores this process holds or asks for, so that its own calls are not in
 * each other's way. It knows nothing of other processes: a hint, and no part of any promise.
 */
export class LocalSlots {
  readonly #taken = new Map<string, Set<number>>();

  /** One of them that nobody here has, or if there is none any of them. @param unit in [0, 1) */
  pick({ queueKey }: LockKind, slots: readonly number[], unit: number): number {
    const taken = this.#taken.get(queueKey);
    const others = taken === undefined ? slots : slots.filter((slot) => !taken.has(slot));
    const choice = others.length > 0 ? others : slots;
    return choice[Math.floor(unit * choice.length)] ?? 0;
  }

  add(keys: LockKind): void {
    const slot = keys.slots?.slot;
    if (slot === undefined) return;
    const taken = this.#taken.get(keys.queueKey) ?? new Set();
    this.#taken.set(keys.queueKey, taken.add(slot));
  }

  delete(keys: LockKind): void {
    const slot = keys.slots?.slot;
    const taken = this.#taken.get(keys.queueKey);
    if (slot === undefined || taken === undefined) return;
    taken.delete(slot);
    if (taken.size === 0) this.#taken.delete(keys.queueKey);
  }
}
