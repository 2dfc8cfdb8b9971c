import type { LockKind } from "../protocol/lock-kind.js";
import type { Votes } from "../protocol/operation.js";
import { isSamePlace, turnTextOf, type Waiter } from "../protocol/waiter.js";

/** A lock that may have waited in the nodes' queues. */
export interface PlacedLock {
  readonly keys: LockKind;
}

/** A place of this process: readers that hold a name beside each other have one. */
interface HeldPlace {
  readonly id: string;
  readonly waiter: Waiter;
  lockCount: number;
  /** Where it may still stand after the locks that have ended. */
  readonly nodes: Set<number>;
}

/**
 * The places that locks of this process still have in the nodes' queues: a node that refused the acquire of a waiter
 * has put it there. While the lock is held, that node notifies it once it can hold the name there, too. After that the
 * place would only keep others waiting: readers, and whoever is next.
 */
export class HeldPlaces {
  readonly #places = new Map<string, HeldPlace>();
  /** For each lock the nodes that have not granted its acquire. */
  readonly #locks = new Map<
    PlacedLock,
    { readonly place: HeldPlace; readonly nodes: Set<number> }
  >();

  /** @param votes on its acquire, so far */
  add(lock: PlacedLock, waiter: Waiter | undefined, votes: Votes): void {
    if (waiter === undefined) return;
    const id = `${turnTextOf(waiter)}:${lock.keys.waitQueueKey}`;
    const place = this.#places.get(id) ?? { id, waiter, lockCount: 0, nodes: new Set() };
    place.lockCount++;
    this.#places.set(id, place);
    const nodes = new Set(votes.keys());
    votes.forEach((vote, index) => vote?.kind === "granted" && nodes.delete(index));
    this.#locks.set(lock, { place, nodes });
  }

  has(lock: PlacedLock): boolean {
    return this.#locks.has(lock);
  }

  /** That node has granted its acquire, and with that taken it out of the queue. */
  onGranted(lock: PlacedLock, index: number): void {
    this.#locks.get(lock)?.nodes.delete(index);
  }

  /**
   * The lock is no longer held.
   *
   * @param next waits here: where it has the same place, that is still needed
   * @param leave called for each node in whose queue it may stand
   */
  end(
    lock: PlacedLock,
    next: Waiter | undefined,
    leave: (index: number, waiter: Waiter) => void,
  ): void {
    const held = this.#locks.get(lock);
    if (held === undefined) return;
    this.#locks.delete(lock);
    const { place } = held;
    for (const index of held.nodes) place.nodes.add(index);
    if (--place.lockCount > 0) return;
    this.#places.delete(place.id);
    if (next !== undefined && isSamePlace(next, place.waiter)) return;
    const waiter = { ...place.waiter, placePrefix: lock.keys.queue.leavePrefix };
    for (const index of place.nodes) leave(index, waiter);
  }
}
