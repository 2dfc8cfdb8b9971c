import { getOrAdd } from "./get-or-add.js";
import type { CallEvent, HistoryEvent } from "./history.js";
import { rootOf, rootsOf } from "./names.js";

/** For how long a place counts on a node after it was written, µs by the node's clock, which scripts read in ms. */
export const PLACE_US = 5_001_000;

/** A place on a node: when it was written, by the node's clock, and when it was removed. */
export interface Place {
  readonly writtenUs: number;
  goneUs?: number;
}

/** The calls of one process that wait for one name, and when the last one ended. */
export interface Waits {
  readonly process: string;
  readonly name: string;
  readonly calls: Map<number, CallEvent>;
  startedUs: number;
  endedUs: number;
}

/** Who waits for which names, of a set for each: it stands in the queues of those that it lacks. */
export class Waiting {
  readonly #waits = new Map<string, Waits>();
  readonly #calls = new Map<number, readonly Waits[]>();

  see(event: HistoryEvent): void {
    if (event.kind === "call" && event.what === "acquire") this.#onCall(event);
    else if (event.kind === "settle") this.#end(event.call, event.atUs);
    else if (event.kind === "process" && event.what === "crash") {
      for (const [call, [waits]] of this.#calls) {
        if (waits?.process === event.process) this.#end(call, event.atUs);
      }
    }
  }

  /** When it stopped to wait; infinite while it does, and of one of which no call is known. */
  endedUs(process: string, name: string): number {
    const waits = this.#waits.get(`${process} ${rootOf(name)}`);
    return waits === undefined || waits.calls.size > 0 ? Number.POSITIVE_INFINITY : waits.endedUs;
  }

  /** Its calls that wait for that name now. */
  calls(process: string, name: string): CallEvent[] {
    return [...(this.#waits.get(`${process} ${rootOf(name)}`)?.calls.values() ?? [])];
  }

  /** Those who wait now. */
  all(): Iterable<Waits> {
    return new Set([...this.#calls.values()].flat());
  }

  #onCall(event: CallEvent): void {
    const { process, call, atUs } = event;
    const all = rootsOf(event.name).map((name) => {
      const waits = getOrAdd(this.#waits, `${process} ${name}`, () => {
        return { process, name, calls: new Map(), startedUs: 0, endedUs: 0 };
      });
      if (waits.calls.size === 0) waits.startedUs = atUs;
      waits.calls.set(call, event);
      return waits;
    });
    this.#calls.set(call, all);
  }

  #end(call: number, atUs: number): void {
    for (const waits of this.#calls.get(call) ?? []) {
      waits.calls.delete(call);
      waits.endedUs = atUs;
    }
    this.#calls.delete(call);
  }
}
