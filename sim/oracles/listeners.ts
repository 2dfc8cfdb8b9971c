import type { HistoryEvent } from "./history.js";

/** Who listens to which node. Of a process that does so in two ways nobody knows which of them waits. */
export class Listeners {
  readonly #counts = new Map<string, number>();
  readonly #unsure = new Set<string>();
  readonly #sinceUs = new Map<string, number>();

  see(event: HistoryEvent): void {
    if (event.kind !== "inbox") return;
    const where = `${event.process} ${event.node}`;
    const count = (this.#counts.get(where) ?? 0) + (event.isListening ? 1 : -1);
    this.#counts.set(where, count);
    this.#sinceUs.set(where, event.atUs);
    if (count > 1) this.#unsure.add(where);
  }

  /** Whether it did at that instant, and still does. */
  hears(process: string, node: number, atUs: number): boolean {
    const where = `${process} ${node}`;
    if ((this.#sinceUs.get(where) ?? Infinity) >= atUs) return false;
    return this.#counts.get(where) === 1 && !this.#unsure.has(where);
  }
}
