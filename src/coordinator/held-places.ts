import type { LockKind } from "../protocol/lock-kind.js";
import type { Votes } from "../protocol/operation.js";
import { isSamePlace, turnTextOf, type Waiter } from "../protocol/node-queue.js";
import { nodesThatDidNotGrant } from "../protocol/quorum.js";

/** A place of this process: readers that hold a name beside each other have one. */
interface HeldPlace {
  readonly id: string;
  readonly waiter: Waiter;
  lockCount: number;
  /** Bit mask of the nodes where it may still stand after the locks that have ended. */
  nodes: number;
}

/** What one lock has to do with such a place: a node that grants its acquire takes it out of the queue. */
export class PlaceOfLock {
  readonly place: HeldPlace;
  /** Bit mask of the nodes of whose grant nothing is known. */
  #notGranted: number;
  /** Those that were asked, and have not answered that they grant it. */
  #askedInVain: number;

  constructor(place: HeldPlace, notGranted: number, askedInVain: number) {
    this.place = place;
    this.#notGranted = notGranted;
    this.#askedInVain = askedInVain;
  }

  /**
   * Bit mask of the nodes in whose queue it may stand. A message may tell of a grant that was over when the acquire
   * arrived there, and entered the queue again.
   */
  get nodes(): number {
    return this.#notGranted | this.#askedInVain;
  }

  /** A message: the node has executed the deferred acquire. */
  onNodeGrant(index: number): void {
    this.#notGranted &= ~(1 << index);
  }

  /** The node answers only now: it has granted the acquire. */
  onAnswer(index: number): void {
    this.#notGranted &= ~(1 << index);
    this.#askedInVain &= ~(1 << index);
  }
}

/**
 * The places that locks of this process still have in the nodes' queues: a node that refused the acquire of a waiter
 * has put it there. While the lock is held, that node notifies it once it can hold the name there, too. After that the
 * place would only keep others waiting: readers, and whoever is next.
 */
export class HeldPlaces {
  readonly #places = new Map<string, HeldPlace>();

  /**
   * Of a lock that was waited for.
   *
   * @param votes on its acquire, so far
   * @param askedInVain bit mask of the nodes that were asked, and have not answered that they grant it
   */
  add({ waitQueueKey }: LockKind, waiter: Waiter, votes: Votes, askedInVain: number): PlaceOfLock {
    const id = `${turnTextOf(waiter)}:${waitQueueKey}`;
    const place = this.#places.get(id) ?? { id, waiter, lockCount: 0, nodes: 0 };
    place.lockCount++;
    this.#places.set(id, place);
    return new PlaceOfLock(place, nodesThatDidNotGrant(votes), askedInVain);
  }

  /**
   * The lock is no longer held.
   *
   * @param next waits here: where it has the same place, that is still needed
   * @param leave called for each node in whose queue it may stand
   */
  end(
    { queue }: LockKind,
    { place, nodes }: PlaceOfLock,
    next: Waiter | undefined,
    leave: (index: number, waiter: Waiter) => void,
  ): void {
    place.nodes |= nodes;
    if (--place.lockCount > 0) return;
    this.#places.delete(place.id);
    if (next !== undefined && isSamePlace(next, place.waiter)) return;
    const waiter = { ...place.waiter, placePrefix: queue.leavePrefix };
    for (let index = 0; place.nodes >> index !== 0; index++) {
      if (place.nodes & (1 << index)) leave(index, waiter);
    }
  }
}
