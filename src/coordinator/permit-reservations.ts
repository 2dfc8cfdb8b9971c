import type { Votes } from "../protocol/operation.js";

/** What one message says. */
interface Reserved {
  /** Ascending. */
  readonly permits: readonly number[];
  /** Lease clock, ms. */
  readonly untilMs: number;
}

/** Anybody who may publish can make messages up. */
const MAX_MESSAGES = 4;

/**
 * The permits that nodes have reserved for the wait queue of a process: of each node those of its last messages. A
 * reservation takes the place of the process; when that has entered again, the node reserves more for it.
 */
export class PermitReservations {
  /** The oldest first. Each permit is in the last message that named it only. */
  readonly #byNode = new Map<number, readonly Reserved[]>();
  /** By node index: what it had free when it refused the last attempt, which asked for others. It tells nobody of these. */
  #free: readonly (readonly number[])[] = [];

  /** @param untilMs lease clock; the reservation ends then */
  add(index: number, permits: readonly number[], untilMs: number): void {
    const before = without(permits, this.#byNode.get(index) ?? []);
    this.#byNode.set(index, [...before, { permits, untilMs }].slice(-MAX_MESSAGES));
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
    const reserved = new Set<number>();
    const enough: boolean[] = [];
    for (const [index, messages] of this.#byNode) {
      const permits = permitsIn(messages);
      enough[index] = permits.length >= wanted;
      for (const permit of permits) reserved.add(permit);
    }
    for (const [index, free] of this.#free.entries())
      enough[index] ||= free.filter((number) => reserved.has(number)).length >= wanted;
    return enough.filter(Boolean).length;
  }

  /**
   * The permits that most nodes reserve, ascending; they are asked for now. Undefined if there are not enough.
   */
  take(nowMs: number, wanted: number): number[] | undefined {
    this.#dropEnded(nowMs);
    const nodeCounts = new Map<number, number>();
    for (const messages of this.#byNode.values())
      for (const permit of permitsIn(messages))
        nodeCounts.set(permit, (nodeCounts.get(permit) ?? 0) + 1);
    if (nodeCounts.size < wanted) return undefined;
    const best = [...nodeCounts].toSorted(([a, countA], [b, countB]) => countB - countA || a - b);
    const permits = best.slice(0, wanted).map(([permit]) => permit);
    this.delete(permits);
    return permits.toSorted((a, b) => a - b);
  }

  delete(gone: readonly number[]): void {
    this.#keep((messages) => without(gone, messages));
  }

  /** All reservations, one by one; nobody wants them any more. */
  *drain(nowMs: number): Iterable<ReservedPermits> {
    this.#dropEnded(nowMs);
    const all = [...this.#byNode];
    this.#byNode.clear();
    // One by one: what has ended on the node by now is not passed on, and neither is what is named with it.
    for (const [index, messages] of all)
      for (const { permits, untilMs } of messages)
        yield { index, permits, turnMs: Math.ceil(untilMs - nowMs) };
  }

  #dropEnded(nowMs: number): void {
    this.#keep((messages) => messages.filter(({ untilMs }) => untilMs > nowMs));
  }

  #keep(what: (messages: readonly Reserved[]) => readonly Reserved[]): void {
    for (const [index, messages] of this.#byNode) {
      const left = what(messages);
      if (left.length > 0) this.#byNode.set(index, left);
      else this.#byNode.delete(index);
    }
  }
}

function without(gone: readonly number[], messages: readonly Reserved[]): readonly Reserved[] {
  return messages.flatMap(({ permits, untilMs }) => {
    const left = permits.filter((permit) => !gone.includes(permit));
    return left.length > 0 ? { permits: left, untilMs } : [];
  });
}

function permitsIn(messages: readonly Reserved[]): readonly number[] {
  return messages.flatMap(({ permits }) => permits);
}

/** What one node reserves. */
export interface ReservedPermits {
  readonly index: number;
  /** Ascending. */
  readonly permits: readonly number[];
  readonly turnMs: number;
}
