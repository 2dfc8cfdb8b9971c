import { getOrAdd } from "./get-or-add.js";
import { markOf, type History, type PlaceEvent, type Violate } from "./history.js";
import { checkKeptOut } from "./kept-out.js";
import { checkStanding } from "./standing.js";
import { NodeClocks } from "./node-clocks.js";
import { PLACE_US, Waiting, type Place } from "./waiting.js";

/**
 * W3: a place in the queue of a node counts while its process waits and can reach the node, and no longer than
 * 5 s after the node wrote it last.
 */
export function checkPlaces(history: History, violate: Violate): void {
  checkLeases(history, violate);
  checkKeptOut(history, violate);
  checkStanding(history, violate);
}

/**
 * Nothing is reserved for a place that is gone or outlives it, no queue outlives its last place, and no place is
 * written for a process that did not wait when it asked for it.
 */
function checkLeases({ settings, events }: History, violate: Violate): void {
  const clocks = new NodeClocks(settings);
  /** By node, name and process: all places that it has had, by how they are marked. */
  const places = new Map<string, Map<string, Place>>();
  /** A lock that is passed on is released by two owners. */
  const senders = new Set<string>();
  const waiting = new Waiting();
  const onPlace = (event: PlaceEvent): void => {
    const { atUs, node, name, process, what, op, by, sentUs, keptUs = 0 } = event;
    const where = `${name} on node ${node}`;
    const nodeUs = clocks.at(node, atUs);
    const own = getOrAdd(places, `${where} ${process}`, () => new Map());
    if (what === "gone") {
      const found = own.get(markOf(event));
      if (found !== undefined) found.goneUs = atUs;
    } else if (what === "kept") {
      // The step that reserves the name removes the place.
      const isThere = [...own.values()].some(({ writtenUs, goneUs = atUs }) => {
        return nodeUs - writtenUs <= PLACE_US && goneUs === atUs;
      });
      // Whoever releases while others of its process wait queues up, and may be the first. And an older state of
      // the node may have come back.
      if (isThere || senders.has(`${by} ${process}`) || op === "forget") return;
      // A refresh writes a place that is missing, and may find a permit for it.
      if (op === "refresh") return;
      violate(atUs, `${where} is kept for ${process}, which has no place there`);
    } else {
      // It is unknown when a place in an older state of the node was written: not later.
      if (what === "stands") own.set(markOf(event), { writtenUs: nodeUs });
      if (keptUs > PLACE_US && op !== "forget") {
        violate(atUs, `the queue for ${where} is kept for ${keptUs / 1_000} ms`);
      }
      // A release is kept until the node is back, and may queue waiters of its process from that time.
      if (op === "refresh" && sentUs > waiting.endedUs(process, name)) {
        violate(atUs, `${process}, which does not wait, is refreshed in the queue of ${where}`);
      }
    }
  };
  for (const event of events) {
    clocks.see(event);
    waiting.see(event);
    if (event.kind === "send") senders.add(`${event.ownerId} ${event.process}`);
    if (event.kind === "place") onPlace(event);
  }
}
