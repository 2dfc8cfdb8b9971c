import { getOrAdd } from "./get-or-add.js";
import type { History, HistoryEvent, Violate } from "./history.js";
import { allWaitedFor, rootOf } from "./names.js";
import { NodeLists } from "./node-lists.js";
import { Waiting } from "./waiting.js";

/** How often a waiter follows the messages of the nodes, a second. */
const TRIES_A_SECOND = 20;

/** For so long a process that missed an answer may have other things to wait for, µs. */
const CALM_US = 2_000_000;

/** A process and what it waits for: a name, alone or as a reader, or any permit of one. */
interface Asker {
  readonly process: string;
  /** `a`, or `a#` for a permit. */
  readonly name: string;
  /** By what is told, the nodes that have told it since it asked last. */
  readonly told: Map<string, Set<number>>;
  /** Attempts without an end: by owner, or owner that is sealed, the nodes that have not answered. */
  readonly pending: Map<string, Set<number>>;
  readonly asksUs: number[];
  holdCount: number;
  /** It has left the queues: whoever asks for it now is not in them yet, and contends for a split name. */
  hasLeft: boolean;
  /** A quorum has told it, and it was idle. */
  dueUs?: number | undefined;
}

/**
 * W6: a waiter that a quorum of nodes has told that it is its turn asks them at once, and not with its next look. Except
 * that its attempt is under way, that it holds the name, that it was told so more often than it may follow, that few
 * attempts of its process may be under way at once, that the process has left the queue which that is about, or that its
 * first wants more permits than it was told of. It is judged where the process has missed no answer lately.
 */
export function checkPromptAsks(history: History, violate: Violate): void {
  const { settings, events } = history;
  if (settings.isNarrow === true) return;
  const lists = new NodeLists(history);
  const waiting = new Waiting();
  const askers = new Map<string, Asker>();
  const due = new Set<Asker>();
  /** Those that were told something, perhaps. */
  const heard = new Set<Asker>();
  const unwatched = new Set<string>();
  /** Owners whose locks have expired, which their processes have yet to notice: until then, they hold them. */
  const unnoticed = new Map<string, readonly Asker[]>();
  /** By process: when something went wrong last. */
  const troubledUs = new Map<string, number>();
  const find = (process: string, name: string): Asker =>
    getOrAdd(askers, `${process} ${name}`, () => ({
      ...{ process, name, told: new Map(), pending: new Map(), asksUs: [] },
      holdCount: 0,
      hasLeft: false,
    }));
  /** What it was told was for whoever was first then, or for a lock that it held. */
  const forget = (asker: Asker): void => {
    asker.told.clear();
    asker.dueUs = undefined;
    due.delete(asker);
    heard.delete(asker);
  };
  const mayAsk = ({ process, name, asksUs }: Asker, atUs: number, toldCount: number): boolean => {
    if (Number.isFinite(waiting.endedUs(process, name))) return false;
    const calls = waiting.calls(process, name);
    const own = calls.filter((call) => allWaitedFor(call.name).includes(name));
    if (calls.length > 0 && own.length === 0) return false;
    if ((own[0]?.count ?? 1) > toldCount) return false;
    if (atUs - (troubledUs.get(process) ?? Number.NEGATIVE_INFINITY) < CALM_US) return false;
    return asksUs.filter((askedUs) => askedUs > atUs - 1_000_000).length < TRIES_A_SECOND;
  };
  const see = (event: HistoryEvent): void => {
    const { atUs } = event;
    for (const asker of due) {
      if (asker.dueUs !== undefined && atUs > asker.dueUs) {
        due.delete(asker);
        asker.dueUs = undefined;
        violate(
          atUs,
          `a quorum told ${asker.process} that ${asker.name} is free, and it asked nobody`,
        );
      }
    }
    if (event.kind === "send") {
      if (event.op === "seal") {
        // Its attempt goes on.
        for (const name of allWaitedFor(event.name)) {
          const { pending } = find(event.process, name);
          getOrAdd(pending, `seal of ${event.ownerId}`, () => new Set()).add(event.node);
        }
      }
      if (event.op === "leave") {
        for (const name of allWaitedFor(event.name)) {
          const asker = find(event.process, name);
          asker.hasLeft = true;
          forget(asker);
        }
      }
      if (event.op !== "acquire") return;
      // A request that steals the name goes before all others of its process.
      if (event.isPreempting === true) troubledUs.set(event.process, atUs);
      for (const name of allWaitedFor(event.name)) {
        const asker = find(event.process, name);
        if (event.op === "acquire" && asker.pending.get(event.ownerId) === undefined) {
          asker.told.clear();
          asker.asksUs.push(atUs);
        }
        getOrAdd(asker.pending, event.ownerId, () => new Set()).add(event.node);
        asker.hasLeft = false;
        asker.dueUs = undefined;
        due.delete(asker);
      }
    } else if (event.kind === "turn" && event.what === "heard") {
      // One waiter for the name and one for a permit wait apart: neither asks for what the other was told.
      const name = event.wants === "s" ? `${event.name}#` : event.name;
      const asker = find(event.process, name);
      const what = event.permits?.join(",") ?? "";
      const nodes = getOrAdd(asker.told, what, () => new Set());
      if (asker.hasLeft) return;
      nodes.add(event.node);
      heard.add(asker);
      if (
        nodes.size < lists.quorumOf(event.process) ||
        asker.pending.size > 0 ||
        asker.holdCount > 0
      )
        return;
      if (!mayAsk(asker, atUs, event.permits?.length ?? Number.POSITIVE_INFINITY)) return;
      asker.dueUs = atUs;
      due.add(asker);
    } else if (event.kind === "vote") {
      if (event.vote === "fault") troubledUs.set(event.process, atUs);
      if (event.op !== "acquire" && event.op !== "seal") return;
      const what = event.op === "seal" ? `seal of ${event.ownerId}` : event.ownerId;
      for (const name of allWaitedFor(event.name)) {
        const asker = find(event.process, name);
        const nodes = asker.pending.get(what);
        nodes?.delete(event.node);
        if (nodes?.size === 0) asker.pending.delete(what);
      }
    } else if (event.kind === "grant" || event.kind === "end") {
      const root = rootOf(event.name);
      const asked = [find(event.process, root), find(event.process, `${root}#`)];
      const isSeen =
        event.kind === "grant" || event.why !== "expired" || unwatched.has(event.ownerId);
      if (!isSeen) unnoticed.set(event.ownerId, asked);
      for (const asker of asked) {
        if (isSeen) asker.holdCount += event.kind === "grant" ? 1 : -1;
        forget(asker);
      }
    } else if (event.kind === "unwatched") {
      unwatched.add(event.ownerId);
    } else if (event.kind === "lost") {
      for (const asker of unnoticed.get(event.ownerId) ?? []) {
        asker.holdCount--;
        forget(asker);
      }
      unnoticed.delete(event.ownerId);
    } else if (event.kind === "settle" || event.kind === "process") {
      for (const asker of heard) if (asker.process === event.process) forget(asker);
    }
  };
  for (const event of events) {
    // One by redlock's interface is in no queue.
    if (event.kind !== "call" || event.via === undefined) waiting.see(event);
    see(event);
  }
}
