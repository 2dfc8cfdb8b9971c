import { getOrAdd } from "./get-or-add.js";
import { markOf, type History, type HistoryEvent, type KeyEvent, type Violate } from "./history.js";
import { Listeners } from "./listeners.js";
import { isPermit, rootOf } from "./names.js";
import { NodeClocks } from "./node-clocks.js";
import { queueOrder } from "./queue-order.js";
import { PermitCounts } from "./permit-counts.js";
import { PLACE_US } from "./waiting.js";

/** No permit is reserved for longer, µs. */
const TURN_US = 101_000;

/** How far from the end of a place it is left open whether it counts, µs. */
const EDGE_US = 3_000;

interface Place {
  readonly process: string;
  readonly wants: string;
  readonly count: number;
  readonly mark: string;
  readonly ticket: number;
  /** By the node's clock. */
  readonly writtenUs: number;
  /** By the world's. */
  readonly sinceUs: number;
}

/** An attempt, as a node was asked for it. */
interface Asked {
  readonly process: string;
  /** Since when it waits; later than all that stand there if it is in no queue. */
  readonly ticket: number;
}

/** What a node has given, or reserved. */
interface Given extends Asked {
  readonly atUs: number;
  readonly node: number;
  readonly name: string;
  /** To whom, and what. */
  readonly text: string;
}

/**
 * K2: a node gives permits in the order of its queue, and tells of them in that order. None goes to whoever came later
 * than the first that waits for permits there, however few that one lacks. Who was told of permits has them in its turn.
 * Where nobody holds any, as the last have expired, the name is free for whoever asks first.
 */
export function checkPermitOrder({ settings, events }: History, violate: Violate): void {
  const [clocks, listeners] = [new NodeClocks(settings), new Listeners()];
  const permits = new PermitCounts(events);
  /** By node and name, then by process and mark. */
  const queues = new Map<string, Map<string, Place>>();
  const asked = new Map<string, Asked>();
  /** By node, name and process: when permits were reserved for it. */
  const reservedUs = new Map<string, number>();
  const failing = new Map<number, number>();
  /** By node and name: the permits that are held, or the name as a whole, and who holds each. */
  const holders = new Map<string, Map<string, string>>();
  /** What this instant has given. */
  let given: Given[] = [];
  /** By node and name: those that have left the queue in this instant, and may have been first in it. */
  const left = new Map<string, Place[]>();
  /**
   * By node, name, process and how many permits it waits for: its last place. A node that was down may have an older
   * one.
   */
  const tickets = new Map<string, number>();

  const isFailing = (node: number): boolean => (failing.get(node) ?? 0) > 0;
  const firstOf = ({ node, name, atUs }: Given): Place | undefined => {
    const key = `${node} ${name}`;
    const all = [...(queues.get(key)?.values() ?? []), ...(left.get(key) ?? [])];
    for (const place of all.toSorted(queueOrder)) {
      const ageUs = clocks.at(node, atUs) - place.writtenUs;
      if (ageUs > PLACE_US + EDGE_US) continue;
      const isSure = ageUs < PLACE_US - EDGE_US && listeners.hears(place.process, node, atUs);
      if (place.wants !== "s") return undefined;
      if (left.get(key)?.includes(place) === true) continue;
      // What wants more than there are stands aside.
      if (isSure && place.count <= (permits.of(node, name) ?? 0)) return place;
    }
    return undefined;
  };
  const judge = (one: Given): void => {
    const { node, name, atUs, process, ticket, text } = one;
    const first = firstOf(one);
    if (first === undefined || first.process === process) return;
    if (first.sinceUs >= atUs || first.ticket >= ticket) return;
    // It was told before, and stands there again by the same step.
    if (reservedUs.get(`${node} ${name} ${first.process}`) === atUs) return;
    const waits = `${first.process}, which waits for ${first.count}, came first`;
    violate(atUs, `node ${node} ${text}, although ${waits}`);
  };
  const onTaken = ({ node, name, after, atUs }: KeyEvent): void => {
    const by = asked.get(`${node} ${after}`);
    const root = rootOf(name);
    const others = [...(holders.get(`${node} ${root}`)?.values() ?? [])];
    if (others.every((owner) => owner === after)) return;
    const toldUs = reservedUs.get(`${node} ${root} ${by?.process}`) ?? -Infinity;
    if (by === undefined || atUs - toldUs < TURN_US) return;
    given.push({ ...by, atUs, node, name: root, text: `gives ${name} to ${after}` });
  };
  const see = (event: HistoryEvent): void => {
    if (event.kind === "send" && event.op === "acquire" && isPermit(event.name)) {
      const { node, ownerId, process, ticket = Number.POSITIVE_INFINITY } = event;
      asked.set(`${node} ${ownerId}`, { process, ticket });
    } else if (event.kind === "key") {
      const { node, name, before, after, op } = event;
      const all = getOrAdd(holders, `${node} ${rootOf(name)}`, () => new Map<string, string>());
      const isGiven = op === "acquire" && after !== undefined && before !== after;
      if (isGiven && isPermit(name) && !isFailing(node)) onTaken(event);
      if (before !== undefined) all.delete(`${name} ${before}`);
      if (after !== undefined) all.set(`${name} ${after}`, after);
    } else if (event.kind === "place") {
      const { node, name, what, process, wants, count = 1, ticket = 0, atUs } = event;
      const places = getOrAdd(queues, `${node} ${name}`, () => new Map<string, Place>());
      const mark = markOf(event);
      const id = `${process} ${mark}`;
      if (what === "gone" || what === "passed") {
        const place = places.get(id);
        if (place !== undefined) getOrAdd(left, `${node} ${name}`, () => []).push(place);
        places.delete(id);
      } else if (what === "stands") {
        // What was told in this instant had left its place, and is back for more.
        const isBack = wants === "s" && reservedUs.get(`${node} ${name} ${process}`) === atUs;
        const before = places.get(id);
        // It goes on with the ticket of the next waiter: until then it stood further ahead.
        if (before !== undefined && before.ticket < ticket)
          getOrAdd(left, `${node} ${name}`, () => []).push(before);
        const sinceUs = (isBack ? undefined : before?.sinceUs) ?? atUs;
        const writtenUs = clocks.at(node, atUs);
        places.set(id, { process, wants, count, mark, ticket, writtenUs, sinceUs });
        if (wants === "s") tickets.set(`${node} ${name} ${process} ${count}`, ticket);
      }
    } else if (event.kind === "turn" && event.what === "told" && event.permits !== undefined) {
      const { node, name, process, permits: told, atUs } = event;
      reservedUs.set(`${node} ${name} ${process}`, atUs);
      const place = `${node} ${name} ${process} ${told.length}`;
      const ticket = tickets.get(place) ?? Number.NEGATIVE_INFINITY;
      const text = `tells ${process} of ${name}#${told.join(",")}`;
      if (!isFailing(node)) given.push({ atUs, node, name, process, ticket, text });
    } else if (event.kind === "node") {
      const step = event.what === "errors" ? 1 : event.what === "calm" ? -1 : 0;
      failing.set(event.node, Math.max(0, (failing.get(event.node) ?? 0) + step));
    }
  };
  const finish = (): void => {
    for (const event of given) judge(event);
    given = [];
    left.clear();
  };
  let atUs = 0;
  for (const event of events) {
    if (event.atUs > atUs) finish();
    atUs = event.atUs;
    clocks.see(event);
    permits.see(event);
    see(event);
    listeners.see(event);
  }
  finish();
}
