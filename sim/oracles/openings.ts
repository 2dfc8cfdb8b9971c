import { getOrAdd } from "./get-or-add.js";
import {
  markOf,
  type History,
  type HistoryEvent,
  type KeyEvent,
  type PlaceEvent,
  type TurnEvent,
  type Violate,
} from "./history.js";
import { Listeners } from "./listeners.js";
import { isPermit, rootOf } from "./names.js";
import { NodeClocks } from "./node-clocks.js";
import { queueOrder } from "./queue-order.js";
import { PermitCounts } from "./permit-counts.js";
import { UNSEEN } from "./told-ends.js";
import { PLACE_US } from "./waiting.js";

/** No permit is reserved for longer, µs. */
const TURN_US = 100_000;

/** How far from the end of a place it is left open whether it counts, µs. */
const EDGE_US = 3_000;

interface Place {
  readonly process: string;
  readonly wants: PlaceEvent["wants"];
  /** How many permits. */
  readonly count: number;
  readonly mark: string;
  readonly ticket: number;
  /** By the node's clock. */
  readonly writtenUs: number;
}

/** Who holds a name on a node, and who waits for it there. */
interface State {
  /** By owner: the holds, by how others may join them. */
  readonly holders: ReadonlyMap<string, KeyEvent>;
  readonly places: ReadonlyMap<string, Place>;
}

/** A message, and the tickets of the places that it may be for: an earlier step of the same instant may have moved them. */
type Told = Pick<TurnEvent, "process" | "wants"> & {
  /** By mark. */
  readonly tickets: ReadonlyMap<string, number>;
  /** How many permits it is told of. */
  readonly count: number;
};

/** What one instant changes for a name on a node. */
interface Step {
  readonly node: number;
  readonly name: string;
  readonly atUs: number;
  readonly before: State;
  readonly keys: KeyEvent[];
  readonly gone: PlaceEvent[];
  /** How many permits the semaphore has there, and whether that is new. */
  permits: number | undefined;
  hasGrown: boolean;
  /** A place that was ahead of others stands behind them now: it is its process's next waiter's. */
  hasStoodBack: boolean;
  readonly told: Told[];
  readonly isFailing: boolean;
  /** A permit may be reserved for somebody: then nobody holds the semaphore, and it is there. */
  readonly isReserved: boolean;
}

/**
 * W5: a step that opens a name on a node tells those that it opens it for, in their order.
 *
 * - The last holder goes: the first in the queue is told.
 * - Readers hold it now, or somebody leaves whom readers waited behind: all readers are told that nobody keeps out.
 * - A permit is free now, or the semaphore has grown, or somebody leaves whom waiters for permits waited behind: the
 *   first of them is told, once as many are free as it wants.
 *
 * The place of a process leaves those behind it, too, where it goes on with a waiter that came later than they did.
 *
 * Nobody is told of an expiry, and a node that fails may fail to tell.
 */
export function checkOpenings({ settings, events }: History, violate: Violate): void {
  const clocks = new NodeClocks(settings);
  const permits = new PermitCounts(events);
  const failing = new Map<number, number>();
  const states = new Map<string, { holders: Map<string, KeyEvent>; places: Map<string, Place> }>();
  const steps = new Map<string, Step>();
  /** By node and name: when a permit of it was reserved last. */
  const reservedUs = new Map<string, number>();
  const listeners = new Listeners();

  const isFailing = (node: number): boolean => (failing.get(node) ?? 0) > 0;
  const finish = (step: Step): void => {
    const after = states.get(`${step.node} ${step.name}`);
    if (after === undefined || step.isFailing || isFailing(step.node)) return;
    const nodeUs = clocks.at(step.node, step.atUs);
    const hears = ({ process }: Place): boolean => {
      return listeners.hears(process, step.node, step.atUs);
    };
    const message = unheard(step, after, nodeUs, step.permits, hears);
    if (message === undefined) return;
    violate(step.atUs, `node ${step.node} opens ${step.name} and ${message}`);
  };
  const stepOf = (node: number, name: string, atUs: number): Step => {
    const where = `${node} ${name}`;
    const state = getOrAdd(states, where, () => ({ holders: new Map(), places: new Map() }));
    let step = steps.get(where);
    if (step === undefined || step.atUs !== atUs) {
      if (step !== undefined) finish(step);
      const before = { holders: new Map(state.holders), places: new Map(state.places) };
      const isReserved = (reservedUs.get(where) ?? -Infinity) >= atUs - TURN_US - EDGE_US;
      step = {
        node,
        name,
        atUs,
        before,
        keys: [],
        gone: [],
        permits: permits.of(node, name),
        hasGrown: false,
        hasStoodBack: false,
        told: [],
        isReserved,
        isFailing: isFailing(node),
      };
      steps.set(where, step);
    }
    return step;
  };
  const see = (event: HistoryEvent): void => {
    if (event.kind === "key") {
      const { node, name, before, after, atUs } = event;
      stepOf(node, rootOf(name), atUs).keys.push(event);
      const { holders } = states.get(`${node} ${rootOf(name)}`) as {
        holders: Map<string, KeyEvent>;
      };
      if (before !== undefined) holders.delete(`${name} ${before}`);
      if (after !== undefined) holders.set(`${name} ${after}`, event);
    } else if (event.kind === "place") {
      const { node, name, what, process, wants, count = 1, ticket = 0, atUs } = event;
      const step = stepOf(node, name, atUs);
      const { places } = states.get(`${node} ${name}`) as { places: Map<string, Place> };
      const mark = markOf(event);
      const id = `${process} ${mark}`;
      if (what === "stands") {
        step.hasStoodBack ||= wants !== "r" && (places.get(id)?.ticket ?? ticket) < ticket;
        places.set(id, { process, wants, count, mark, ticket, writtenUs: clocks.at(node, atUs) });
      } else if (what === "gone" || what === "passed") {
        places.delete(id);
        step.gone.push(event);
      }
    } else if (event.kind === "turn" && event.what === "told") {
      const { node, name, atUs, process, wants, permits: ofMany } = event;
      const step = stepOf(node, name, atUs);
      const places = [...(states.get(`${node} ${name}`)?.places.values() ?? [])];
      const own = places.filter((each) => each.process === process && each.wants === wants);
      const tickets = new Map(own.map(({ mark, ticket }) => [mark, ticket]));
      step.told.push({ process, wants, tickets, count: ofMany?.length ?? 1 });
      if (ofMany !== undefined) reservedUs.set(`${node} ${name}`, atUs);
    } else if (event.kind === "size") {
      const step = stepOf(event.node, event.name, event.atUs);
      const { permits: before = 0 } = step;
      permits.see(event);
      step.permits = permits.of(event.node, event.name);
      step.hasGrown = (step.permits ?? 0) > before && before > 0;
    } else if (event.kind === "node") {
      const step = event.what === "errors" ? 1 : event.what === "calm" ? -1 : 0;
      failing.set(event.node, Math.max(0, (failing.get(event.node) ?? 0) + step));
    }
  };
  for (const event of events) {
    clocks.see(event);
    see(event);
    listeners.see(event);
  }
  for (const step of steps.values()) finish(step);
}

/** Who should have been told, and was not. */
function unheard(
  step: Step,
  after: State,
  nodeUs: number,
  permits: number | undefined,
  hears: (place: Place) => boolean,
): string | undefined {
  const { before, keys, told, gone, isReserved } = step;
  if (keys.some(({ op }) => UNSEEN.has(op))) return undefined;
  const [was, is] = [queueIn(before, nodeUs, permits), queueIn(after, nodeUs, permits)];
  // Who came in this very step knows the name as it is now, as does one that was taken out and came again.
  const stood = (place: Place): boolean => {
    const isAnew = gone.some(
      (each) => each.process === place.process && each.wants === place.wants,
    );
    return !isAnew && was.some((each) => isSame(each, place));
  };
  const first = is.find((place) => stood(place) && hears(place));
  if (first === undefined) return undefined;
  const left = step.hasStoodBack || gone.some(({ op }) => op === "leave");
  const isTold = (place: Place): boolean =>
    told.some(({ process, wants, count }) => {
      return process === place.process && wants === place.wants && count >= place.count;
    });

  if (after.holders.size === 0) {
    if (before.holders.size === 0 || isReserved) return undefined;
    const [early] = told;
    if (early === undefined) return `tells nobody, although ${first.process} waits`;
    const isOfEarly = (place: Pick<Place, "process" | "wants">): boolean => {
      return place.process === early.process && place.wants === early.wants;
    };
    const taken = gone.filter(isOfEarly);
    // The step may have queued it anew, for another waiter of its process.
    const renewed = taken.find((place) => place.ticket !== undefined);
    const [anyTicket] = early.tickets.values();
    const ticket =
      renewed?.ticket ?? (taken[0] && early.tickets.get(markOf(taken[0]))) ?? anyTicket;
    if (ticket === undefined || first.ticket >= ticket) return undefined;
    return `tells ${early.process}, although ${first.process} came first`;
  }
  const isShared = isHeldBy(after, ({ mode }) => mode === "shared");
  if (isShared) {
    const wasShared = isHeldBy(before, ({ mode }) => mode === "shared");
    if (wasShared && !left) return undefined;
    const wereIn = wasShared ? readersIn(was) : [];
    const missing = readersIn(is).find((place) => {
      if (!stood(place) || !hears(place) || isTold(place)) return false;
      return !wereIn.some((each) => isSame(each, place));
    });
    return missing && `does not tell ${missing.process}, which may read now`;
  }
  if (!isHeldBy(after, ({ name }) => isPermit(name)) || is[0] !== first || first.wants !== "s") {
    return undefined;
  }
  const isStill = (name: string): boolean =>
    permits === undefined || Number(name.slice(name.indexOf("#") + 1)) < permits;
  const stillHeld = [...after.holders.values()].filter(({ name }) => isStill(name));
  const freeCount = (permits ?? first.count) - stillHeld.length;
  const toldCount = told
    .filter(({ process }) => process !== first.process)
    .reduce((sum, { count }) => sum + count, 0);
  // It waits for more, which are kept for it; of those that are free, others may have some reserved.
  if (first.count > freeCount - toldCount || (first.count > 1 && isReserved)) return undefined;
  const freed = keys.find((key) => {
    return key.after === undefined && before.holders.has(`${key.name} ${key.before}`);
  });
  const isFree = (name: string): boolean => {
    return ![...after.holders.values()].some((holder) => holder.name === name);
  };
  if (freed !== undefined && isFree(freed.name) && isStill(freed.name) && told.length === 0) {
    return `tells nobody of ${freed.name}, although ${first.process} waits`;
  }
  const hasBegun = before.holders.size === 0;
  const isOpened =
    hasBegun || step.hasGrown || (left && (was[0]?.wants !== "s" || was[0].count > 1));
  // It may have been told, and stand there again by the same step.
  if (!isOpened || isReserved || permits === undefined || isTold(first)) return undefined;
  return `does not tell ${first.process}, although a permit is free`;
}

/** Those whose places count, in their order. What wants more permits than there are stands aside. */
function queueIn({ places }: State, nodeUs: number, permits: number | undefined): Place[] {
  return [...places.values()]
    .filter(({ writtenUs }) => nodeUs - writtenUs < PLACE_US - EDGE_US)
    .filter(({ wants, count }) => wants !== "s" || count <= (permits ?? count))
    .toSorted(queueOrder);
}

/** The readers that nobody keeps out who wants the name alone. */
function readersIn(queue: readonly Place[]): readonly Place[] {
  const end = queue.findIndex(({ wants }) => wants !== "r");
  return end === -1 ? queue : queue.slice(0, end);
}

function isHeldBy({ holders }: State, is: (holder: KeyEvent) => boolean): boolean {
  return holders.size > 0 && [...holders.values()].every(is);
}

function isSame(one: Place, other: Place): boolean {
  return one.process === other.process && one.wants === other.wants && one.ticket === other.ticket;
}
