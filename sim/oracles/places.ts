import type { History, PlaceEvent, Violation } from "./history.js";
import { checkKeptOut } from "./kept-out.js";
import { checkStanding } from "./standing.js";
import { PLACE_US, Waiting } from "./waiting.js";

const WANTS = ["", "r", "s"] as const;

/** Where all is healthy, messages in flight when the last waiter gave up have arrived after this, µs. */
const ARRIVAL_US = 1_500_000;

/**
 * W3: a place in the queue of a node counts while its process waits and can reach the node, and no longer than
 * 5 s after the node wrote it last.
 */
export function checkPlaces(history: History): Violation[] {
  return [...checkLeases(history), ...checkKeptOut(history), ...checkStanding(history)];
}

/** The queue of a name on a node. */
interface Queue {
  /** By process and what it wants: when it was written, and when it was removed. */
  readonly places: Map<string, { readonly writtenUs: number; goneUs?: number }>;
  /** When any was written. */
  lastUs: number;
}

/**
 * Nothing is reserved for a place that is gone or outlives it, and no place is written for a process that does not
 * wait.
 */
function checkLeases({ events }: History): Violation[] {
  const violations: Violation[] = [];
  const queues = new Map<string, Queue>();
  /** A lock that is handed over is released by two owners. */
  const senders = new Set<string>();
  const waiting = new Waiting();
  let calmUs = Number.POSITIVE_INFINITY;
  const violate = (atUs: number, message: string): void => {
    violations.push({ id: "W3", atUs, message });
  };
  const checkOutlived = (where: string, { lastUs }: Queue, atUs: number): void => {
    const ageMs = (atUs - lastUs) / 1_000;
    if (ageMs <= PLACE_US / 1_000) return;
    violate(
      atUs,
      `there is a queue for ${where}, into which nobody was written for ${ageMs.toFixed(0)} ms`,
    );
  };
  const onPlace = ({ atUs, node, name, process, wants, what, op, by }: PlaceEvent): void => {
    const where = `${name} on node ${node}`;
    const queue = queues.get(where) ?? { places: new Map(), lastUs: 0 };
    queues.set(where, queue);
    const place = `${process} ${wants}`;
    if (what === "gone") {
      if (op === "expire") checkOutlived(where, queue, atUs);
      const found = queue.places.get(place);
      if (found !== undefined) found.goneUs = atUs;
    } else if (what === "kept") {
      // The step that reserves the name removes the place.
      const isThere = WANTS.some((each) => {
        const { writtenUs = Number.NEGATIVE_INFINITY, goneUs = atUs } =
          queue.places.get(`${process} ${each}`) ?? {};
        return atUs - writtenUs <= PLACE_US && goneUs === atUs;
      });
      // Whoever releases while others of its process wait queues up, and may be the first. And an older state of
      // the node may have come back.
      if (isThere || senders.has(`${by} ${process}`) || op === "forget") return;
      violate(atUs, `${where} is kept for ${process}, which has no place there`);
    } else {
      queue.lastUs = atUs;
      if (what === "passed") return;
      // It is unknown when a place in an older state of the node was written: not later.
      queue.places.set(place, { writtenUs: atUs });
      const sinceUs = Math.max(calmUs, waiting.endedUs(process, name));
      // A release is kept until the node is back, and may queue waiters of its process from that time.
      if (op !== "refresh" || atUs - sinceUs <= ARRIVAL_US) return;
      violate(atUs, `${process}, which does not wait, is refreshed in the queue of ${where}`);
    }
  };
  for (const event of events) {
    waiting.see(event);
    if (event.kind === "send") senders.add(`${event.ownerId} ${event.process}`);
    if (event.kind === "place") onPlace(event);
    if (event.kind === "phase" && event.what === "calm") calmUs = event.atUs;
  }
  const endUs = events.at(-1)?.atUs ?? 0;
  for (const [where, queue] of queues) {
    const isThere = [...queue.places.values()].some(({ goneUs }) => goneUs === undefined);
    if (isThere) checkOutlived(where, queue, endUs);
  }
  return violations;
}
