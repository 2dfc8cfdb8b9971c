import type { Votes } from "../protocol/operation.js";

/**
 * The permits that nodes have reserved for the wait queue of a process: of each node those of its last message, as it
 * reserves them for the one place that the process has there.
 */
export class PermitReservations {
  /** Permits are ascending, ends of the lease clock. */
  readonly #byNode = new Map<
    number,
    { readonly permits: readonly number[]; readonly untilMs: number }
  >();
  /** By node index: what it had free when it refused the last attempt, which asked for others. It tells nobody of these. */
  #free: readonly (readonly number[])[] = [];

  /** @param untilMs lease clock; the reservation ends then */
  set(index: number, permits: readonly number[], untilMs: number): void {
    this.#byNode.set(index, { permits, untilMs });
  }

  /** An attempt has failed, or one is sent, and nothing is known any more. */
  setFree(votes: Votes): void {
    this.#free = votes.map((vote) => (vote?.kind === "refused" && vote.freePermits) || []);
  }

  /**
   * How many nodes reserve so many permits each, or did recently: not the same ones, where several became free at once.
   * Or have those free that others reserve.
   */
  nodeCount(wanted: number): number {
    const reserved = new Set([...this.#byNode.values()].flatMap(({ permits }) => permits));
    const enough = this.#free.map(
      (free) => free.filter((number) => reserved.has(number)).length >= wanted,
    );
    for (const [index, { permits }] of this.#byNode) enough[index] ||= permits.length >= wanted;
    return enough.filter(Boolean).length;
  }

  /**
   * The permits that most nodes reserve, ascending; they are asked for now. Undefined if there are not enough.
   */
  take(nowMs: number, wanted: number): number[] | undefined {
    const nodeCounts = new Map<number, number>();
    for (const [index, { permits, untilMs }] of this.#byNode) {
      if (untilMs <= nowMs) this.#byNode.delete(index);
      else for (const permit of permits) nodeCounts.set(permit, (nodeCounts.get(permit) ?? 0) + 1);
    }
    if (nodeCounts.size < wanted) return undefined;
    const best = [...nodeCounts].toSorted(([a, countA], [b, countB]) => countB - countA || a - b);
    const permits = best.slice(0, wanted).map(([permit]) => permit);
    this.delete(permits);
    return permits.toSorted((a, b) => a - b);
  }

  delete(gone: readonly number[]): void {
    for (const [index, { permits, untilMs }] of this.#byNode) {
      const left = permits.filter((permit) => !gone.includes(permit));
      if (left.length > 0) this.#byNode.set(index, { permits: left, untilMs });
      else this.#byNode.delete(index);
    }
  }

  /** All reservations, node by node; nobody wants them any more. */
  *drain(nowMs: number): Iterable<ReservedPermits> {
    const all = [...this.#byNode];
    this.#byNode.clear();
    for (const [index, { permits, untilMs }] of all)
      if (untilMs > nowMs) yield { index, permits, turnMs: Math.ceil(untilMs - nowMs) };
  }
}

/** What one node reserves. */
export interface ReservedPermits {
  readonly index: number;
  /** Ascending. */
  readonly permits: readonly number[];
  readonly turnMs: number;
}
