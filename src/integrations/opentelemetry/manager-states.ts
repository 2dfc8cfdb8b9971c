import type { Attributes, BatchObservableResult, Observable } from "@opentelemetry/api";
import { openManagers } from "../../telemetry/open-managers.js";
import type { Groups } from "./groups.js";
import type { Instruments } from "./instruments.js";
import { nodeAddress } from "./node-address.js";

/**
 * Current states, read from the open lock managers when metrics are collected. They include locks and waiters from
 * before the instrumentation.
 */
export class ManagerStates {
  readonly #all: Instruments;
  readonly #groups: Groups;
  readonly #waiting: Sums;
  readonly #held: Sums;
  readonly #state: Sums;
  readonly #quarantine: Sums;
  #hasReserve = false;

  constructor(all: Instruments, groups: Groups) {
    this.#all = all;
    this.#groups = groups;
    this.#waiting = new Sums(all["quorate.waiting"]);
    this.#held = new Sums(all["quorate.held"]);
    this.#state = new Sums(all["quorate.node.state"]);
    this.#quarantine = new Sums(all["quorate.node.quarantine"]);
  }

  observe(result: BatchObservableResult): void {
    const reserves: number[] = [];
    for (const manager of openManagers()) {
      for (const { keys, size } of manager.waiting()) {
        this.#waiting.add({ group: this.#groups.of(keys.names) }, size);
      }
      for (const { keys } of manager.held) {
        this.#held.add({ group: this.#groups.of(keys.names), mode: keys.mode }, 1);
      }
      for (const { node, state, quarantineLeftMs } of manager.nodes()) {
        const address = nodeAddress(node);
        this.#state.raise({ ...address, state }, 1);
        this.#quarantine.raise({ ...address }, quarantineLeftMs / 1_000);
      }
      const { size, votes } = manager.quorum();
      reserves.push(votes - size);
    }
    for (const sums of [this.#waiting, this.#held, this.#state, this.#quarantine]) {
      sums.observe(result);
    }
    // With several lock managers, the smallest reserve; when all are closed, no number, which no alert compares.
    if (reserves.length > 0) this.#hasReserve = true;
    const reserve = reserves.length > 0 ? Math.min(...reserves) : Number.NaN;
    if (this.#hasReserve) result.observe(this.#all["quorate.quorum.reserve"], reserve);
  }
}

/** Values of one instrument, by attributes. */
class Sums {
  readonly #instrument: Observable;
  readonly #sums = new Map<string, { readonly attributes: Attributes; value: number }>();

  constructor(instrument: Observable) {
    this.#instrument = instrument;
  }

  add(attributes: Attributes, value: number): void {
    this.#of(attributes).value += value;
  }

  /** To the highest of all lock managers. */
  raise(attributes: Attributes, value: number): void {
    const sum = this.#of(attributes);
    sum.value = Math.max(sum.value, value);
  }

  /** Reports 0 for what no longer exists: an SDK repeats the last value of what is not observed. */
  observe(result: BatchObservableResult): void {
    for (const sum of this.#sums.values()) {
      result.observe(this.#instrument, sum.value, sum.attributes);
      sum.value = 0;
    }
  }

  #of(attributes: Attributes): { value: number } {
    const key = JSON.stringify(attributes);
    const sum = this.#sums.get(key) ?? { attributes, value: 0 };
    this.#sums.set(key, sum);
    return sum;
  }
}
