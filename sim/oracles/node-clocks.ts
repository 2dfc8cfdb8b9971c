import { SimClock } from "../sim-clock.js";
import { getOrAdd } from "./get-or-add.js";
import type { HistoryEvent, HistorySettings } from "./history.js";

/** What the clocks of the nodes show, each from an instant of its own: only differences of two readings count. */
export class NodeClocks {
  readonly #ratesPpm: readonly number[];
  readonly #clocks = new Map<number, SimClock>();

  constructor({ nodeRatesPpm = [] }: HistorySettings) {
    this.#ratesPpm = nodeRatesPpm;
  }

  see(event: HistoryEvent): void {
    if (event.kind !== "node") return;
    const { node, atUs, byMs, ratePpm } = event;
    if (byMs !== undefined) this.#of(node).jump(atUs, byMs * 1_000);
    if (ratePpm !== undefined) this.#of(node).setRate(atUs, ratePpm);
  }

  /** @param atUs not before the event that was seen last */
  at(node: number, atUs: number): number {
    return this.#of(node).at(atUs);
  }

  #of(node: number): SimClock {
    return getOrAdd(this.#clocks, node, () => new SimClock(0, this.#ratesPpm[node] ?? 0));
  }
}
