import { nodeCountOf } from "../protocol/node-sets.js";

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

  /** How many nodes reserve so many permits each, or did recently: not the same ones, where several became free at once. */
  nodeCount(wanted: number): number {
    const counts: number[] = [];
    for (const { nodes } of this.#reservations.values())
      for (let index = 0; nodes >> index !== 0; index++)
        if (nodes & (1 << index)) counts[index] = (counts[index] ?? 0) + 1;
    return counts.filter((count) => count >= wanted).length;
  }

  /**
   * The permits that most nodes reserve, ascending; they are asked for now. Undefined if there are not enough.
   */
  take(nowMs: number, wanted: number): number[] | undefined {
    const open: (readonly [permit: number, nodeCount: number])[] = [];
    for (const [permit, { nodes, untilMs }] of this.#reservations) {
      if (untilMs <= nowMs) this.#reservations.delete(permit);
      else open.push([permit, nodeCountOf(nodes)]);
    }
    if (open.length < wanted) return undefined;
    const best = open.toSorted(([a, countA], [b, countB]) => countB - countA || a - b);
    const permits = best.slice(0, wanted).map(([permit]) => permit);
    for (const permit of permits) this.#reservations.delete(permit);
    return permits.toSorted((a, b) => a - b);
  }

  delete(permit: number): void {
    this.#reservations.delete(permit);
  }

  /** All reservations, node by node; nobody wants them any more. */
  *drain(nowMs: number): Iterable<ReservedPermits> {
    const found = new Map<string, { index: number; permits: number[]; turnMs: number }>();
    for (const [permit, { nodes, untilMs }] of this.#reservations) {
      if (untilMs <= nowMs) continue;
      for (let index = 0; nodes >> index !== 0; index++) {
        if ((nodes & (1 << index)) === 0) continue;
        const turnMs = Math.ceil(untilMs - nowMs);
        const id = `${index} ${turnMs}`;
        const together = found.get(id) ?? { index, permits: [], turnMs };
        together.permits.push(permit);
        found.set(id, together);
      }
    }
    this.#reservations.clear();
    for (const { index, permits, turnMs } of found.values())
      yield { index, permits: permits.toSorted((a, b) => a - b), turnMs };
  }
}

/** What one node reserves. */
export interface ReservedPermits {
  readonly index: number;
  /** Ascending. */
  readonly permits: readonly number[];
  readonly turnMs: number;
}
