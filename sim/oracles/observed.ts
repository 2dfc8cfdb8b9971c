import { createHash } from "node:crypto";
import { getOrAdd } from "./get-or-add.js";
import type { History, HistoryEvent, ObservedEvent, Violate } from "./history.js";
import { NodeLists } from "./node-lists.js";
import { rootsOf } from "./names.js";
import { stopsOf, type Stop } from "./stops.js";

/** So old may be what is shown, µs: nodes are asked every 2 s, and may take the longest node deadline to answer. */
const OLDEST_US = 2_000_000 + 1_000_000;

/** For clocks that differ by their rates, and timers that are late. */
const SLACK_US = 50_000;

/** Nobody had it, or somebody. */
const NOBODY = "";

/** Who had a name on a node, from when until when. */
interface Stay {
  readonly who: string;
  toUs: number;
}

/**
 * I4: whoever observes a name is shown only what a quorum of nodes has said, each of them no longer ago than the nodes
 * are asked again, also if messages are late, lost or forged. Tokens of holders only grow; what a holder proclaims is
 * its own, and comes in order.
 */
export function checkObserved(history: History, violate: Violate): void {
  const observed = new Observed(history);
  for (const event of history.events) {
    const message = observed.see(event);
    if (message !== undefined) violate(event.atUs, message);
  }
}

class Observed {
  readonly #lists: NodeLists;
  readonly #stops: readonly Stop[];
  /** By node and name, in order. */
  readonly #stays = new Map<string, Stay[]>();
  /** By observer. */
  readonly #shown = new Map<string, ObservedEvent>();
  readonly #owners = new Map<string, string>();

  constructor(history: History) {
    this.#lists = new NodeLists(history);
    this.#stops = stopsOf(history);
  }

  /** What is wrong with the event, if anything is. */
  see(event: HistoryEvent): string | undefined {
    if (event.kind === "observed") return this.#judge(event);
    if (event.kind !== "key") return undefined;
    for (const name of rootsOf(event.name)) {
      const stays = this.#staysAt(event.node, name);
      const last = stays.at(-1);
      const who = event.after === undefined ? NOBODY : this.#hashOf(event.after);
      if (last?.who === who) continue;
      if (last !== undefined) last.toUs = event.atUs;
      stays.push({ who, toUs: Number.POSITIVE_INFINITY });
    }
    return undefined;
  }

  #staysAt(node: number, name: string): Stay[] {
    return getOrAdd(this.#stays, `${node} ${name}`, () => [
      { who: NOBODY, toUs: Number.POSITIVE_INFINITY },
    ]);
  }

  #hashOf(owner: string): string {
    const who = createHash("sha1").update(owner).digest("hex");
    this.#owners.set(who, owner);
    return who;
  }

  #judge(event: ObservedEvent): string | undefined {
    const { observer, process, name, who = NOBODY, fence = 0, value, atUs } = event;
    const before = this.#shown.get(observer);
    this.#shown.set(observer, who === NOBODY && before !== undefined ? before : event);
    const owner = this.#owners.get(who);
    const is = who === NOBODY ? "nobody" : (owner ?? `an unknown owner ${who}`);
    const say = (what: string): string =>
      `${process} was shown ${is} as the holder of ${name}${what}`;
    const sinceUs = this.#since(process, atUs);
    const nodes = this.#lists.of(process).filter((node) => {
      return this.#staysAt(node, name).some((stay) => stay.who === who && stay.toUs >= sinceUs);
    });
    if (nodes.length < this.#lists.quorumOf(process)) return say(`, as ${nodes.length} nodes say`);
    if (who === NOBODY) return undefined;
    if (value !== undefined && !value.endsWith(` of ${owner}`)) return say(`, saying ${value}`);
    if (before?.who === undefined) return undefined;
    if (before.who === who) {
      const isBack = Number.parseInt(value ?? "0", 10) < Number.parseInt(before.value ?? "0", 10);
      return isBack ? say(`, saying ${value} after ${before.value}`) : undefined;
    }
    return fence <= (before.fence ?? 0) ? say(` with ${fence} after ${before.fence}`) : undefined;
  }

  /** While it does not run, a process neither asks nor tells. */
  #since(process: string, atUs: number): number {
    let sinceUs = atUs - OLDEST_US * 1.01 - SLACK_US;
    for (const { process: of, fromUs, toUs } of this.#stops.toReversed()) {
      if (of === process && toUs >= sinceUs && fromUs < atUs)
        sinceUs -= Math.min(toUs, atUs) - Math.max(fromUs, sinceUs);
    }
    return sinceUs;
  }
}
