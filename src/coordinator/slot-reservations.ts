import { nodeCountOf } from "./node-sets.js";

interface Reservation {
  /** Bit mask of the nodes that reserve the slot. */
  nodes: number;
  untilMs: number;
}

/** The slots that nodes have reserved for the wait queue of a process. */
export class SlotReservations {
  readonly #reservations = new Map<number, Reservation>();

  /** @param untilMs lease clock; the reservation ends then */
  add(index: number, slot: number, untilMs: number): void {
    const nodes = this.#reservations.get(slot)?.nodes ?? 0;
    this.#reservations.set(slot, { nodes: nodes | (1 << index), untilMs });
  }

  /** The largest number of nodes that reserve one and the same slot, or did recently. */
  get mostNodes(): number {
    return Math.max(0, ...[...this.#reservations.values()].map(({ nodes }) => nodeCountOf(nodes)));
  }

  /** The slot that most nodes reserve; it is asked for now. Undefined if there is none. */
  take(nowMs: number): number | undefined {
    const slot = this.#best(nowMs)?.[0];
    if (slot !== undefined) this.#reservations.delete(slot);
    return slot;
  }

  delete(slot: number): void {
    this.#reservations.delete(slot);
  }

  /** All reservations, node by node; nobody wants them any more. */
  *drain(nowMs: number): Iterable<{ index: number; slot: number; turnMs: number }> {
    for (const [slot, { nodes, untilMs }] of this.#reservations) {
      if (untilMs <= nowMs) continue;
      for (let index = 0; nodes >> index !== 0; index++) {
        if (nodes & (1 << index)) yield { index, slot, turnMs: Math.ceil(untilMs - nowMs) };
      }
    }
    this.#reservations.clear();
  }

  #best(nowMs: number): [number, Reservation] | undefined {
    let best: [number, Reservation] | undefined;
    for (const [slot, turn] of this.#reservations) {
      if (turn.untilMs <= nowMs) this.#reservations.delete(slot);
      else if (best === undefined || nodeCountOf(turn.nodes) > nodeCountOf(best[1].nodes)) {
        best = [slot, turn];
      }
    }
    return best;
  }
}
