import type { History, HistoryEvent, KeyEvent, Violation } from "./history.js";
import { rootOf } from "./names.js";
import { PLACE_US } from "./waiting.js";

/** For so long what a node keeps for one may be all that refuses another, µs: above any turn. */
const KEPT_US = 5_000_000;

/** For a name on a node: what may block a reader. */
interface Reasons {
  /** Locks that are not shared. */
  readonly holders: Set<string>;
  /** When there was one last, unless there is. */
  heldUs: number;
  /** Of those that want it alone, or a permit, by process: until when the place counts. */
  readonly placesUs: Map<string, number>;
  /** When it was last reserved. */
  keptUs: number;
}

/** Of W3: a reader is refused for a lock that is none of readers, or for a place that counts, and not for one that is over. */
export function checkKeptOut({ events }: History): Violation[] {
  const names = new Map<string, Reasons>();
  const readers = new Map<string, number>();
  const violations: Violation[] = [];
  const reasonsFor = (node: number, name: string): Reasons => {
    const where = `${node} ${rootOf(name)}`;
    let found = names.get(where);
    if (found === undefined) {
      found = {
        holders: new Set(),
        heldUs: 0,
        placesUs: new Map(),
        keptUs: Number.NEGATIVE_INFINITY,
      };
      names.set(where, found);
    }
    return found;
  };
  const see = (event: HistoryEvent): void => {
    if (event.kind === "key" && event.mode === undefined)
      onKey(reasonsFor(event.node, event.name), event);
    else if (event.kind === "place") {
      const { node, name, process, wants, what, atUs } = event;
      const reasons = reasonsFor(node, name);
      const place = `${process} ${wants}`;
      if (what === "kept") reasons.keptUs = atUs;
      else if (wants === "r") return;
      else if (what === "stands") reasons.placesUs.set(place, atUs + PLACE_US);
      else reasons.placesUs.set(place, Math.min(atUs, reasons.placesUs.get(place) ?? atUs));
    } else if (event.kind === "send" && event.mode === "shared" && event.op === "acquire") {
      readers.set(`${event.round} ${event.node}`, event.atUs);
    } else if (event.kind === "vote" && event.vote === "refused") {
      const { atUs, node, name, ownerId, isForeign, isEnded } = event;
      const sentUs = readers.get(`${event.round} ${node}`);
      if (sentUs === undefined || isForeign === true || isEnded === true) return;
      const { holders, heldUs, placesUs, keptUs } = reasonsFor(node, name);
      if (holders.size > 0 || heldUs >= sentUs || keptUs >= sentUs - KEPT_US) return;
      if ([...placesUs.values()].some((untilUs) => untilUs >= sentUs)) return;
      const message = `node ${node} refused ${ownerId}, which reads ${name}, where no lock and no place keeps it out`;
      violations.push({ id: "W3", atUs, message });
    }
  };
  for (const event of events) see(event);
  return violations;
}

function onKey(reasons: Reasons, { name, before, after, atUs }: KeyEvent): void {
  const { holders } = reasons;
  if (before !== undefined) holders.delete(`${name} ${before}`);
  if (after !== undefined) holders.add(`${name} ${after}`);
  if (holders.size === 0) reasons.heldUs = atUs;
}
