import { LinkedSet } from "../coordinator/linked-set.js";
import type { ManagedLease } from "../coordinator/observer.js";
import { hashOf } from "../protocol/keys.js";

/** Power of two: with a hundred thousand locks a slot has about twenty-five. */
const SLOT_COUNT = 4_096;

/** A lock under one of its keys. */
interface Entry {
  readonly lockKey: string;
  readonly lease: ManagedLease;
  next: Entry | undefined;
}

/** The locks that a lock manager holds, in the order of their grants, and by lock key. */
export class HeldLocks extends LinkedSet<ManagedLease> {
  /** By hash of the lock key. No `Map`: that has the trouble of a `Set`, see {@link LinkedSet}. */
  readonly #slots: (Entry | undefined)[] = [];

  override add(lease: ManagedLease): void {
    if (this.has(lease)) return;
    super.add(lease);
    for (const lockKey of lease.keys.lockKeys) {
      const slot = slotOf(lockKey);
      this.#slots[slot] = { lockKey, lease, next: this.#slots[slot] };
    }
  }

  override delete(lease: ManagedLease): void {
    if (!this.has(lease)) return;
    super.delete(lease);
    for (const lockKey of lease.keys.lockKeys) this.#remove(slotOf(lockKey), lease);
  }

  #remove(slot: number, lease: ManagedLease): void {
    let before: Entry | undefined;
    let entry = this.#slots[slot];
    while (entry !== undefined && entry.lease !== lease) {
      before = entry;
      entry = entry.next;
    }
    if (before === undefined) this.#slots[slot] = entry?.next;
    else before.next = entry?.next;
    // Nor does what is removed point to what remains.
    if (entry !== undefined) entry.next = undefined;
  }

  /** Those on one of these keys; a set of names once for each. */
  on(lockKeys: readonly string[]): ManagedLease[] {
    const found: ManagedLease[] = [];
    for (const lockKey of lockKeys) {
      for (let entry = this.#slots[slotOf(lockKey)]; entry !== undefined; entry = entry.next)
        if (entry.lockKey === lockKey) found.push(entry.lease);
    }
    return found;
  }
}

function slotOf(lockKey: string): number {
  return hashOf(lockKey) & (SLOT_COUNT - 1);
}
