import { getOrAdd } from "./get-or-add.js";
import { markOf, type History, type HistoryEvent, type KeyEvent, type Violate } from "./history.js";
import { rootOf } from "./names.js";
import { NodeClocks } from "./node-clocks.js";
import { PLACE_US, type Place } from "./waiting.js";

/** For so long what a node keeps for one may be all that refuses another, µs: above any turn. */
const KEPT_US = 5_000_000;

/** For a name on a node: what may block a reader. */
interface Reasons {
  /** Locks that are not shared. */
  readonly holders: Set<string>;
  /** When there was one last, unless there is. */
  heldUs: number;
  /** Of those that want it alone, or a permit, by process: when each place was written, by the node's clock. */
  readonly places: Map<string, Place>;
  /** When it was last reserved. */
  keptUs: number;
}

/** Of W3: a reader is refused for a lock that is none of readers, or for a place that counts, and not for one that is over. */
export function checkKeptOut({ settings, events }: History, violate: Violate): void {
  const names = new Map<string, Reasons>();
  const clocks = new NodeClocks(settings);
  /** Of the readers who asked: when, and the earliest that the node's clock has shown since. */
  const readers = new Map<
    string,
    { readonly node: number; readonly sentUs: number; nodeUs: number }
  >();
  const reasonsFor = (node: number, name: string): Reasons =>
    getOrAdd(names, `${node} ${rootOf(name)}`, () => ({
      holders: new Set(),
      heldUs: 0,
      places: new Map(),
      keptUs: Number.NEGATIVE_INFINITY,
    }));
  const see = (event: HistoryEvent): void => {
    switch (event.kind) {
      case "key":
        if (event.mode === undefined) onKey(reasonsFor(event.node, event.name), event);
        break;
      case "place": {
        const { node, name, process, wants, what, atUs } = event;
        const reasons = reasonsFor(node, name);
        const place = `${process} ${markOf(event)}`;
        if (what === "kept") reasons.keptUs = atUs;
        else if (wants === "r") return;
        else if (what === "stands") reasons.places.set(place, { writtenUs: clocks.at(node, atUs) });
        else {
          const found = reasons.places.get(place);
          if (found !== undefined) found.goneUs ??= atUs;
        }
        break;
      }
      case "node":
        for (const reader of readers.values()) {
          const { node } = reader;
          if (node === event.node)
            reader.nodeUs = Math.min(reader.nodeUs, clocks.at(node, event.atUs));
        }
        break;
      case "send": {
        const { node, mode, op, round, atUs } = event;
        if (mode !== "shared" || op !== "acquire") return;
        readers.set(`${round} ${node}`, { node, sentUs: atUs, nodeUs: clocks.at(node, atUs) });
        break;
      }
      case "vote": {
        if (event.vote !== "refused" || readers.size === 0) return;
        const { atUs, node, name, ownerId, isForeign, isEnded } = event;
        const reader = readers.get(`${event.round} ${node}`);
        if (reader === undefined || isForeign === true || isEnded === true) return;
        const { sentUs, nodeUs } = reader;
        const { holders, heldUs, places, keptUs } = reasonsFor(node, name);
        if (holders.size > 0 || heldUs >= sentUs || keptUs >= sentUs - KEPT_US) return;
        const counts = ({ writtenUs, goneUs = atUs }: Place): boolean =>
          goneUs >= sentUs && nodeUs - writtenUs <= PLACE_US;
        if ([...places.values()].some(counts)) return;
        const message = `node ${node} refused ${ownerId}, which reads ${name}, where no lock and no place keeps it out`;
        violate(atUs, message);
        break;
      }
      default:
        break;
    }
  };
  for (const event of events) {
    clocks.see(event);
    see(event);
  }
}

function onKey(reasons: Reasons, { name, before, after, atUs }: KeyEvent): void {
  const { holders } = reasons;
  if (before !== undefined) holders.delete(`${name} ${before}`);
  if (after !== undefined) holders.add(`${name} ${after}`);
  if (holders.size === 0) reasons.heldUs = atUs;
}
