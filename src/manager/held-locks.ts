import { LinkedSet } from "../coordinator/linked-set.js";
import type { ManagedLease } from "../coordinator/observer.js";
import { fenceBucketOf } from "../protocol/keys.js";

/** With a hundred thousand locks a slot has about twenty-five. */
const SLOT_COUNT = 4_096;

/** A lock under one of its keys. */
interface Entry {
  readonly lockKey: string;
  readonly lease: ManagedLease;
  next: Entry | undefined;
}

/**
 * The locks that a lock manager holds, in the order of their grants. Where there are several, they are found by lock key,
 * too: whoever adds one beside others calls {@link onAdded}, and whoever deletes one {@link onDeleted} if
 * {@link isIndexed}. One that is alone most of the time, as in most services, costs no work for that.
 */
export class HeldLocks extends LinkedSet<ManagedLease> {
  /** Changed by the set only. */
  isIndexed = false;
  /** By hash of the lock key. No `Map`: that has the trouble of a `Set`, see {@link LinkedSet}. */
  readonly #slots: (Entry | undefined)[] = [];

  /** It was added, beside others. */
  onAdded(lease: ManagedLease): void {
    if (this.isIndexed) this.#index(lease);
    else for (const each of this) this.#index(each);
    this.isIndexed = true;
  }

  /** It was in the set. */
  onDeleted(lease: ManagedLease): void {
    for (const lockKey of lease.keys.lockKeys) this.#remove(slotOf(lockKey), lease);
    this.isIndexed = this.size > 0;
  }

  #index(lease: ManagedLease): void {
    for (const lockKey of lease.keys.lockKeys) {
      const slot = slotOf(lockKey);
      this.#slots[slot] = { lockKey, lease, next: this.#slots[slot] };
    }
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
    if (!this.isIndexed)
      return [...this].filter(({ keys }) => keys.lockKeys.some((each) => lockKeys.includes(each)));
    const found: ManagedLease[] = [];
    for (const lockKey of lockKeys) {
      for (let entry = this.#slots[slotOf(lockKey)]; entry !== undefined; entry = entry.next)
        if (entry.lockKey === lockKey) found.push(entry.lease);
    }
    return found;
  }
}

function slotOf(lockKey: string): number {
  return Number(fenceBucketOf(lockKey)) % SLOT_COUNT;
}
