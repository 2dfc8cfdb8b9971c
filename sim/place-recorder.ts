import type { HistoryEvent, PlaceEvent } from "./oracles/history.js";
import { textOf } from "../src/memory/bytes.js";
import { MARKERS } from "../src/protocol/markers.js";
import { doneBy, type KeyChange } from "./node-keys.js";
import type { SimNode } from "./sim-node.js";
import type { StoredKey } from "./stored-key.js";
import type { World } from "./world.js";

const PLACE = /^([rs]?)\d+:(.*)$/s;
/** A lock key, or a member of the permits, which starts with its slot. */
const KEPT = new RegExp(`^(?:\\d+:)?${MARKERS.turn}(.*)$`, "s");

/**
 * Records who is in the queues of the nodes, when each place was last written, and for whom a free lock is
 * reserved. All of it is read from the keys, whatever the script meant by them.
 */
export class PlaceRecorder {
  readonly #world: World;
  readonly #record: (event: HistoryEvent) => void;
  /** By inbox: the process that listens on it. */
  readonly #processes = new Map<string, string>();

  constructor(world: World, record: (event: HistoryEvent) => void) {
    this.#world = world;
    this.#record = record;
  }

  /** Learns whose inbox it is from an operation that names it. */
  learn(inbox: string, process: string): void {
    this.#processes.set(inbox, process);
  }

  onQueueKey(node: SimNode, name: string, { before, after, by }: KeyChange): void {
    const [was, is] = [leasesIn(before), leasesIn(after)];
    for (const [place, lease] of is) {
      if (was.get(place) !== lease) this.#tell(node, name, place, "stands", by);
    }
    for (const place of was.keys()) {
      if (!is.has(place)) this.#tell(node, name, place, "gone", by);
    }
    // The queue is kept for as long as if a place had been written.
    const isWritten = [...is].some(([place, lease]) => was.get(place) !== lease);
    const isLonger =
      before !== undefined && after !== undefined && after.expiresAtMs > before.expiresAtMs;
    if (isLonger && !isWritten) {
      const { op, ...author } = doneBy(by);
      const about = { atUs: this.#world.nowUs, node: node.index, name, process: "" };
      this.#record({ kind: "place", ...about, wants: "", what: "passed", op, ...author });
    }
  }

  /** The whole name, or one slot of it. */
  onKept(node: SimNode, name: string, { before, after, by }: KeyChange): void {
    const was = keptIn(before);
    for (const inbox of keptIn(after)) {
      if (!was.has(inbox)) this.#tell(node, name, `0:${inbox}`, "kept", by);
    }
  }

  #tell(
    node: SimNode,
    name: string,
    place: string,
    what: PlaceEvent["what"],
    by: KeyChange["by"],
  ): void {
    const [, wants = "", inbox = ""] = PLACE.exec(place) ?? [];
    const process = this.#processes.get(inbox);
    if (process === undefined) throw new Error(`nobody stands at ${place} in the queue of ${name}`);
    this.#record({
      ...{ kind: "place", atUs: this.#world.nowUs, node: node.index, name, process },
      ...{ wants: wants as PlaceEvent["wants"], what, ...doneBy(by) },
    });
  }
}

/** The lease of each place. */
function leasesIn(stored: StoredKey | undefined): ReadonlyMap<string, number> {
  const all = (stored?.members ?? []).map(([member, score]) => [textOf(member), score] as const);
  const leases = all.filter(([member]) => member.startsWith("@"));
  return new Map(leases.map(([member, score]) => [member.slice(1), score]));
}

/** The inboxes for which a lock key, or the permits of a name, are reserved. */
function keptIn(stored: StoredKey | undefined): ReadonlySet<string> {
  const texts = [stored?.text ?? "", ...(stored?.members ?? []).map(([member]) => textOf(member))];
  return new Set(texts.flatMap((text) => KEPT.exec(text)?.[1] ?? []));
}
