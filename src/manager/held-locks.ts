import { LinkedSet } from "../coordinator/linked-set.js";
import type { ManagedLease } from "../coordinator/observer.js";
import { fenceBucketOf } from "../protocol/keys.js";

/** With a hundred thousand locks a chain has about twenty-five. */
const CHAIN_COUNT = 4_096;

/** A lock under one of its keys. */
interface Entry {
  readonly lockKey: string;
  readonly lease: ManagedLease;
  next: Entry | undefined;
}

/**
 * The locks that a lock manager holds, in the order of their grants, and by lock key. Those are kept only where there are
 * several: one that is alone, as in most services, costs no work for that.
 */
export class HeldLocks extends LinkedSet<ManagedLease> {
  #isIndexed = false;
  /** By hash of the lock key. No `Map`: that has the trouble of a `Set`, see {@link LinkedSet}. */
  readonly #chains: (Entry | undefined)[] = [];

  override add(lease: ManagedLease): boolean {
    if (!super.add(lease)) return false;
    if (this.#isIndexed) this.#index(lease);
    else if (this.size > 1) {
      for (const each of this) this.#index(each);
      this.#isIndexed = true;
    }
    return true;
  }

  override delete(lease: ManagedLease): boolean {
    if (!super.delete(lease)) return false;
    if (this.#isIndexed) {
      for (const lockKey of lease.keys.lockKeys) this.#remove(chainOf(lockKey), lease);
      this.#isIndexed = this.size > 0;
    }
    return true;
  }

  #index(lease: ManagedLease): void {
    for (const lockKey of lease.keys.lockKeys) {
      const chain = chainOf(lockKey);
      this.#chains[chain] = { lockKey, lease, next: this.#chains[chain] };
    }
  }

  #remove(chain: number, lease: ManagedLease): void {
    let before: Entry | undefined;
    let entry = this.#chains[chain];
    while (entry !== undefined && entry.lease !== lease) {
      before = entry;
      entry = entry.next;
    }
    if (before === undefined) this.#chains[chain] = entry?.next;
    else before.next = entry?.next;
    // Nor does what is removed point to what remains.
    if (entry !== undefined) entry.next = undefined;
  }

  /** Those on one of these keys; a set of names once for each. */
  on(lockKeys: readonly string[]): ManagedLease[] {
    if (!this.#isIndexed)
      return [...this].filter(({ keys }) => keys.lockKeys.some((each) => lockKeys.includes(each)));
    const found: ManagedLease[] = [];
    for (const lockKey of lockKeys) {
      for (let entry = this.#chains[chainOf(lockKey)]; entry !== undefined; entry = entry.next)
        if (entry.lockKey === lockKey) found.push(entry.lease);
    }
    return found;
  }
}

function chainOf(lockKey: string): number {
  return Number(fenceBucketOf(lockKey)) % CHAIN_COUNT;
}
