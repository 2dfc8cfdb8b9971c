import { getOrAdd } from "./get-or-add.js";
import {
  markOf,
  type History,
  type HistoryEvent,
  type PlaceEvent,
  type Violate,
} from "./history.js";
import { rootsOf } from "./names.js";
import { NodeClocks } from "./node-clocks.js";
import { PLACE_US, Waiting } from "./waiting.js";

/** A process in the queue of a name on a node. */
interface Standing {
  readonly process: string;
  readonly name: string;
  readonly node: number;
  /** When each of its places was written, by the node's clock. */
  readonly places: Map<string, number>;
  /** What the process has asked that node about the name, and has no answer to. */
  readonly pending: Set<string>;
  /** Something that it asked may not have been executed, or may be later. */
  isUnsure: boolean;
}

/**
 * W4: a process that neither waits for a name nor holds it stands in no queue for it, once the node has answered all
 * that it was asked about the name. A call that was granted, timed out or aborted waits no more. What was asked
 * without success may come late or never, and a place that came back with an older state of the node is nobody's:
 * these end by themselves (W3).
 */
export function checkLeftBehind({ settings, events }: History, violate: Violate): void {
  const clocks = new NodeClocks(settings);
  const waiting = new Waiting();
  const all = new Map<string, Standing>();
  /** By process and name: the owners of the locks that it holds. */
  const held = new Map<string, Set<string>>();
  const unwatched = new Set<string>();
  const holds = (process: string, name: string): Set<string> =>
    getOrAdd(held, `${process} ${name}`, () => new Set());
  const find = (process: string, name: string, node: number): Standing =>
    getOrAdd(all, `${process} ${name} ${node}`, () => {
      return { process, name, node, places: new Map(), pending: new Set(), isUnsure: false };
    });
  const onPlace = (event: PlaceEvent): void => {
    const { what, process, name, node, op, atUs } = event;
    const { places } = find(process, name, node);
    if (what === "gone") places.delete(markOf(event));
    else if (what === "stands" && op !== "forget") places.set(markOf(event), clocks.at(node, atUs));
  };
  const check = (standing: Standing, atUs: number): void => {
    const { process, name, node, places, pending, isUnsure } = standing;
    if (places.size === 0 || pending.size > 0 || isUnsure) return;
    if (!Number.isFinite(waiting.endedUs(process, name)) || holds(process, name).size > 0) return;
    const counts = (writtenUs: number): boolean => clocks.at(node, atUs) - writtenUs < PLACE_US;
    if (![...places.values()].some(counts)) return;
    places.clear();
    violate(
      atUs,
      `${process} still stands in the queue of ${name} on node ${node}, and waits no more`,
    );
  };
  const see = (event: HistoryEvent): void => {
    if (event.kind === "place") onPlace(event);
    else if (event.kind === "send" || event.kind === "vote") {
      const { process, node, round, op, ownerId, atUs } = event;
      for (const name of rootsOf(event.name)) {
        const standing = find(process, name, node);
        const operation = `${round} ${op} ${ownerId}`;
        if (event.kind === "send") standing.pending.add(operation);
        else {
          standing.pending.delete(operation);
          if (event.vote === "fault") standing.isUnsure = true;
          check(standing, atUs);
        }
      }
    } else if (event.kind === "unwatched") unwatched.add(event.ownerId);
    else if (event.kind === "grant") {
      for (const name of rootsOf(event.name)) holds(event.process, name).add(event.ownerId);
    } else if (event.kind === "end" || event.kind === "lost") {
      const { kind, process, ownerId } = event;
      // A process that does not run leaves no queue, and is told that its lock ran out when it goes on.
      if (kind === "end" && event.why === "expired" && !unwatched.has(ownerId)) return;
      for (const name of rootsOf(event.name)) holds(process, name).delete(ownerId);
    } else if (event.kind === "settle") {
      for (const standing of all.values()) {
        if (standing.process === event.process) check(standing, event.atUs);
      }
    }
  };
  for (const event of events) {
    clocks.see(event);
    waiting.see(event);
    see(event);
  }
}
