import { nodeCountOf } from "./node-sets.js";

interface Reservation {
  /** Bit mask of the nodes that reserve the permit. */
  nodes: number;
  untilMs: number;
}

/** The permits that nodes have reserved for the wait queue of a process. */
export class PermitReservations {
  readonly #reservations = new Map<number, Reservation>();

  /** @param untilMs lease clock; the reservation ends then */
  add(index: number, permit: number, untilMs: number): void {
    const nodes = this.#reservations.get(permit)?.nodes ?? 0;
    this.#reservations.set(permit, { nodes: nodes | (1 << index), untilMs });
  }

  /** The largest number of nodes that reserve one and the same permit, or did recently. */
  get mostNodes(): number {
    return Math.max(0, ...[...this.#reservations.values()].map(({ nodes }) => nodeCountOf(nodes)));
  }

  /** The permit that most nodes reserve; it is asked for now. Undefined if there is none. */
  take(nowMs: number): number | undefined {
    const permit = this.#best(nowMs)?.[0];
    if (permit !== undefined) this.#reservations.delete(permit);
    return permit;
  }

  delete(permit: number): void {
    this.#reservations.delete(permit);
  }

  /** All reservations, node by node; nobody wants them any more. */
  *drain(nowMs: number): Iterable<{ index: number; permit: number; turnMs: number }> {
    for (const [permit, { nodes, untilMs }] of this.#reservations) {
      if (untilMs <= nowMs) continue;
      for (let index = 0; nodes >> index !== 0; index++) {
        if (nodes & (1 << index)) yield { index, permit, turnMs: Math.ceil(untilMs - nowMs) };
      }
    }
    this.#reservations.clear();
  }

  #best(nowMs: number): [number, Reservation] | undefined {
    let best: [number, Reservation] | undefined;
    for (const [permit, turn] of this.#reservations) {
      if (turn.untilMs <= nowMs) this.#reservations.delete(permit);
      else if (best === undefined || nodeCountOf(turn.nodes) > nodeCountOf(best[1].nodes)) {
        best = [permit, turn];
      }
    }
    return best;
  }
}
