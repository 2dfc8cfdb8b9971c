import type { HistoryEvent } from "./history.js";
import { rootOf } from "./names.js";

/** How many permits a semaphore has on a node: what the node keeps since a resize, or what those say who ask first. */
export class PermitCounts {
  /** By name: before it was resized. */
  readonly #given = new Map<string, number>();
  /** By node and name. */
  readonly #kept = new Map<string, number>();

  constructor(events: readonly HistoryEvent[]) {
    const resized = new Set<string>();
    for (const event of events) {
      if (event.kind === "size") resized.add(event.name);
      if (event.kind !== "send" || event.op !== "acquire" || event.permits === undefined) continue;
      const name = rootOf(event.name);
      if (!resized.has(name)) this.#given.set(name, event.permits);
    }
  }

  see(event: HistoryEvent): void {
    if (event.kind !== "size") return;
    const { node, name, count } = event;
    if (count === undefined) this.#kept.delete(`${node} ${name}`);
    else this.#kept.set(`${node} ${name}`, count);
  }

  of(node: number, name: string): number | undefined {
    return this.#kept.get(`${node} ${name}`) ?? this.#given.get(name);
  }
}
