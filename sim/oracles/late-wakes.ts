import { getOrAdd } from "./get-or-add.js";
import { Health } from "./health.js";
import {
  markOf,
  type EndEvent,
  type GrantEvent,
  type History,
  type HistoryEvent,
  type KeyEvent,
  type PlaceEvent,
  type SendEvent,
  type Violate,
  type VoteEvent,
} from "./history.js";
import { Listeners } from "./listeners.js";
import { isPermit, rootOf, rootsOf } from "./names.js";
import { NodeLists } from "./node-lists.js";
import { queueOrder } from "./queue-order.js";
import { PermitCounts } from "./permit-counts.js";
import { UNSEEN } from "./told-ends.js";
import { Waiting } from "./waiting.js";

/** No free name is reserved for longer, µs. */
const TURN_US = 101_000;

/** For so long after something went wrong a process and its nodes may have other things to do, µs. */
const CALM_US = 2_000_000;

/** A pause after votes were split, and what a timer is late, µs. */
const PAUSE_US = 15_000;

/** A process in the queue of a name on a node, while it waits. */
interface Stander {
  readonly process: string;
  readonly wants: PlaceEvent["wants"];
  /** How many permits. */
  readonly count: number;
  readonly mark: string;
  ticket: number;
  /** When its place was removed; infinite while it stands. */
  goneUs: number;
  /** Since when the name has been open for it there; undefined while it is not. */
  openUs: number | undefined;
  /** It stood there and listened when the name was opened, by a step that tells. */
  isToBeTold: boolean;
}

interface Asked {
  readonly process: string;
  readonly atUs: number;
  readonly openUs: number;
}

interface Queue {
  readonly node: number;
  readonly name: string;
  readonly holders: Map<string, KeyEvent>;
  readonly standers: Map<string, Stander>;
  /** For whom the name was reserved last, or who was told that it is free where nothing is reserved, and when. */
  kept?: { readonly process: string; readonly atUs: number };
  /** Whose acquire has taken it last, and when. */
  taken?: { readonly process: string; readonly atUs: number };
  /** When a release last dropped a key. */
  droppedUs?: number;
}

/**
 * W7: without faults, a waiter is not granted a name by chance. Once a quorum of nodes, in whose queues it stands, has
 * opened the name for it, its attempt begins no later than the slowest message of the run takes: it comes from a
 * message, and the name is its own within two hops.
 *
 * It judges the grants of whoever waits for one name, alone, as a reader or for a permit. Sets and named owners are told
 * of other names and other holds, and ask by themselves. Of expiries nobody is told. Where few attempts of a process may
 * be under way at once, they wait for each other. Whose own process had the lock that an operator ended waits for that
 * one, which does not know. Where nothing is reserved, a place that a release leaves where its key was gone is told nothing.
 */
export function checkLateWakes(history: History, violate: Violate): void {
  const { settings, events } = history;
  if (settings.isNarrow === true) return;
  const lists = new NodeLists(history);
  const hopUs = slowestMessageUs(events);
  const permits = new PermitCounts(events);
  const [waiting, health, listeners] = [new Waiting(), new Health(), new Listeners()];
  const queues = new Map<string, Queue>();
  /** By process: when something went wrong last. */
  const troubledUs = new Map<string, number>();
  /** By process and name: when it was last granted, refused, or without a lock. */
  const answeredUs = new Map<string, number>();
  /** Locks that are held by what their processes know, by owner: process and each of its names. */
  const believed = new Map<string, Set<string>>();
  /** By process and name: when a lock of its own that an operator had ended was last believed to be held. */
  const deceivedUs = new Map<string, number>();
  /** Those that are: a process may hold several permits of a name. */
  const deceived = new Map<string, Set<string>>();
  /** By owner: whose attempt it is, when it began, and since when a quorum had told its process that it may. */
  const attempts = new Map<string, Asked>();

  const queueOf = (node: number, name: string): Queue =>
    getOrAdd(queues, `${node} ${name}`, () => {
      return { node, name, holders: new Map(), standers: new Map() };
    });
  const review = (queue: Queue, atUs: number, isUnseen: boolean): void => {
    for (const stander of queue.standers.values()) {
      if (!isOpenFor(stander, queue, atUs, permits.of(queue.node, queue.name))) {
        stander.openUs = undefined;
      } else if (stander.openUs === undefined) {
        stander.openUs = atUs;
        const { process, goneUs } = stander;
        stander.isToBeTold =
          goneUs >= atUs && !isUnseen && listeners.hears(process, queue.node, atUs);
      }
    }
  };
  /** By now what was reserved may have run out, of which nobody is told. */
  const forgetKept = (queue: Queue, atUs: number): void => {
    if (queue.kept === undefined || atUs - queue.kept.atUs < TURN_US) return;
    review(queue, atUs, true);
    delete queue.kept;
  };
  /** The node has granted what it had told the process of: if that gives it back, it has no place there. */
  const onTaken = (queue: Queue, ownerId: string, atUs: number): void => {
    const process = attempts.get(ownerId)?.process;
    if (process === undefined) return;
    queue.taken = { process, atUs };
    for (const [key, stander] of queue.standers) {
      if (stander.process === process && Number.isFinite(stander.goneUs))
        queue.standers.delete(key);
    }
  };
  /** Since when a quorum of nodes that is to tell the process has been open for it. */
  const openUsFor = ({ process, name: asked, mode, atUs }: SendEvent): number => {
    const name = rootOf(asked);
    const wants = isPermit(asked) ? "s" : mode === "shared" ? "r" : "";
    const sinceUs: number[] = [];
    for (const node of lists.of(process)) {
      const standers = queues.get(`${node} ${name}`)?.standers.values() ?? [];
      const openUs = [...standers]
        .filter((each) => each.process === process && each.wants === wants && each.isToBeTold)
        .map((stander) => stander.openUs ?? Number.POSITIVE_INFINITY);
      const isWell = atUs - health.wellSinceUs(process, node) >= CALM_US;
      sinceUs.push(isWell ? Math.min(Number.POSITIVE_INFINITY, ...openUs) : Infinity);
    }
    const quorum = lists.quorumOf(process);
    const allUs = sinceUs.toSorted((a, b) => a - b)[quorum - 1] ?? Number.POSITIVE_INFINITY;
    const key = `${process} ${name}`;
    if ((deceived.get(key)?.size ?? 0) > 0) return Number.POSITIVE_INFINITY;
    // It has followed the messages, and tries again.
    return Math.max(allUs, answeredUs.get(key) ?? 0, deceivedUs.get(key) ?? 0);
  };
  const mayJudge = (process: string, name: string, atUs: number): boolean => {
    if (atUs - (troubledUs.get(process) ?? Number.NEGATIVE_INFINITY) < CALM_US) return false;
    const calls = waiting.calls(process, name);
    return !calls.some((call) => call.owner !== undefined);
  };
  const onGrant = ({ process, name, ownerId, owner, atUs }: GrantEvent): void => {
    const root = rootOf(name);
    const attempt = attempts.get(ownerId);
    if (attempt === undefined || owner !== undefined || !mayJudge(process, root, atUs)) return;
    const { openUs } = attempt;
    const lateUs = attempt.atUs - openUs;
    if (lateUs <= hopUs + PAUSE_US || !Number.isFinite(lateUs)) return;
    // Whoever began to wait since then is not whom the nodes told.
    const calls = waiting.calls(process, root);
    if (!calls.some((call) => call.atUs < openUs)) return;
    const lateMs = (lateUs / 1_000).toFixed(3);
    violate(
      atUs,
      `${process} was granted ${name} by chance: it was open for it for ${lateMs} ms when it asked`,
    );
  };
  const onRevoke = ({ ownerId }: SendEvent): void => {
    for (const key of believed.get(ownerId) ?? [])
      getOrAdd(deceived, key, () => new Set()).add(ownerId);
  };
  const onEnd = ({ ownerId, atUs }: EndEvent): void => {
    for (const key of believed.get(ownerId) ?? [])
      if (deceived.get(key)?.delete(ownerId) === true) deceivedUs.set(key, atUs);
    believed.delete(ownerId);
  };
  const onAnswer = ({
    process,
    name,
    atUs,
  }: Pick<VoteEvent, "process" | "name" | "atUs">): void => {
    for (const each of rootsOf(name)) answeredUs.set(`${process} ${each}`, atUs);
  };
  const see = (event: HistoryEvent): void => {
    const { atUs } = event;
    if (event.kind === "key") {
      const { node, name, before, after, op } = event;
      const queue = queueOf(node, rootOf(name));
      forgetKept(queue, atUs);
      if (before !== undefined) queue.holders.delete(`${name} ${before}`);
      if (op === "release") queue.droppedUs = atUs;
      if (after !== undefined) queue.holders.set(`${name} ${after}`, event);
      // Whoever has the name as a whole has it in place of the reservation.
      if (after !== undefined && !isPermit(name)) delete queue.kept;
      if (after !== undefined && op === "acquire") onTaken(queue, after, atUs);
      review(queue, atUs, UNSEEN.has(op));
    } else if (event.kind === "place") {
      const { node, name, process, wants, count = 1, what, ticket = 0, op } = event;
      const queue = queueOf(node, name);
      forgetKept(queue, atUs);
      if (what === "kept") queue.kept = { process, atUs };
      if (what === "stands") {
        const mark = markOf(event);
        const stander = getOrAdd(queue.standers, `${process} ${mark}`, () => {
          const nothing = { goneUs: 0, openUs: undefined, isToBeTold: false };
          return { process, wants, count, mark, ticket, ...nothing };
        });
        Object.assign(stander, { ticket, goneUs: Number.POSITIVE_INFINITY });
      } else if (what === "gone") {
        const key = `${process} ${markOf(event)}`;
        const stander = queue.standers.get(key);
        const isByItself = queue.taken?.process === process && queue.taken.atUs === atUs;
        if (isByItself) queue.standers.delete(key);
        else if (stander !== undefined) stander.goneUs = atUs;
      }
      const tellsNobody =
        settings.reservesNothing === true && op === "release" && queue.droppedUs !== atUs;
      review(queue, atUs, UNSEEN.has(op) || tellsNobody);
    } else if (event.kind === "turn") {
      const { node, name, process, wants, permits: ofMany, what } = event;
      // Readers are told together, and waiters for permits each of another.
      const isForOne = what === "told" && wants === "" && ofMany === undefined;
      if (isForOne) queueOf(node, name).kept = { process, atUs };
    } else if (event.kind === "send" && event.op === "acquire") {
      if (event.isPreempting === true) troubledUs.set(event.process, atUs);
      if (attempts.has(event.ownerId)) return;
      const { process, ownerId } = event;
      attempts.set(ownerId, { process, atUs, openUs: openUsFor(event) });
    } else if (event.kind === "send" && event.op === "revoke") onRevoke(event);
    // Its attempt was given up: until then it waited for what the nodes say to that.
    else if (event.kind === "send" && event.op === "release") onAnswer(event);
    else if (event.kind === "vote") {
      if (event.vote === "fault") troubledUs.set(event.process, atUs);
      if (event.op === "acquire" || event.op === "seal") onAnswer(event);
    } else if (event.kind === "grant") {
      onGrant(event);
      onAnswer(event);
      const names = getOrAdd(believed, event.ownerId, () => new Set());
      names.add(`${event.process} ${rootOf(event.name)}`);
    } else if (event.kind === "end") {
      onAnswer(event);
      onEnd(event);
    }
  };
  for (const event of events) {
    health.see(event);
    permits.see(event);
    see(event);
    waiting.see(event);
    listeners.see(event);
  }
}

/** Whether nothing on the node keeps it out. */
function isOpenFor(
  stander: Stander,
  { holders, standers, kept }: Queue,
  atUs: number,
  permits: number | undefined,
): boolean {
  const { process, wants } = stander;
  if (kept !== undefined && kept.process !== process && atUs - kept.atUs < TURN_US) return false;
  const held = [...holders.values()];
  // Of equal places any may be.
  const ahead = [...standers.values()].filter(
    (other) => other !== stander && other.goneUs > atUs && queueOrder(other, stander) <= 0,
  );
  if (ahead.some((other) => wants === "" || other.wants !== wants)) return false;
  if (wants === "r") return held.every(({ mode }) => mode === "shared");
  if (wants === "") return held.length === 0;
  return (
    held.every(({ name }) => isPermit(name)) &&
    permits !== undefined &&
    held.length + ahead.reduce((sum, { count }) => sum + count, stander.count) <= permits
  );
}

/** How long the message of a node took at most to arrive, µs. */
function slowestMessageUs(events: readonly HistoryEvent[]): number {
  const told = new Map<string, number[]>();
  let slowestUs = 0;
  for (const event of events) {
    if (event.kind !== "turn") continue;
    const { node, name, process, permits, wants, what, atUs } = event;
    const sent = getOrAdd(
      told,
      `${node} ${name} ${process} ${wants} ${permits?.join(",")}`,
      () => [],
    );
    if (what === "told") sent.push(atUs);
    else slowestUs = Math.max(slowestUs, atUs - (sent.shift() ?? atUs));
  }
  return slowestUs;
}
