import type { PlaceEvent, TurnEvent } from "./oracles/history.js";
import { textOf } from "../src/memory/bytes.js";
import type { AnyOperation, Operation } from "../src/protocol/operation.js";
import { MARKERS } from "../src/protocol/markers.js";
import { numbersIn } from "../src/protocol/permits.js";
import { turnTextOf } from "../src/protocol/node-queue.js";
import { doneBy, type Author, type KeyChange } from "./node-keys.js";
import type { Recorder } from "./recorder.js";
import type { InboxObserver } from "./sim-subscription.js";
import type { SimNode } from "./sim-node.js";
import type { StoredKey } from "./stored-key.js";
import { KEY_PREFIX } from "./watched-keys.js";
import type { World } from "./world.js";

const NO_MARK = { wants: "", count: 1, turnMs: undefined } as const;

/** What is wanted, how many permits, for how long a free name is reserved, and for which inbox. */
const PLACE = /^([rs]?)(?:(\d+),)?(\d+):(.*)$/s;

/** A message: for what, for how long it is reserved, which permits, and the lock key. */
const TURN = /^(?:([rs]?)(?:\d+,)?\d+|(\d+)\/([\d,-]+)):(.+)$/s;

/** A deferred acquire was executed. */
const GRANTED = /^granted (?:\S+ ){4}(.+)$/s;

/** A lock has ended. */
const LOST = /^lost (\S+)$/;

/** A lock key, or a member of the permits, which starts with its permit. */
const KEPT = new RegExp(`^(?:\\d+:)?${MARKERS.turn}(.*)$`, "s");

/**
 * Records who is in the queues of the nodes, when each place was last written, and for whom a free lock is
 * reserved. All of it is read from the keys, whatever the script meant by them.
 */
export class PlaceRecorder {
  readonly #world: World;
  readonly #record: Recorder;
  /** By inbox: the process that listens on it. */
  readonly #processes = new Map<string, string>();
  /** When an operation was given to a channel last. */
  readonly #sentUs = new WeakMap<Author, number>();

  constructor(world: World, record: Recorder) {
    this.#world = world;
    this.#record = record;
  }

  /** An operation of a process is given to a channel now. Learns from it whose inbox it names. */
  onSent(operation: Operation, process: string): void {
    this.#sentUs.set(operation, this.#world.nowUs);
    const { kind, ownerId, waiter }: AnyOperation = operation;
    const inbox = kind === "refresh" ? ownerId : waiter?.inbox;
    if (inbox !== undefined) this.#processes.set(inbox, process);
  }

  get nowUs(): number {
    return this.#world.nowUs;
  }

  onQueueKey(node: SimNode, name: string, { before, after, by }: KeyChange): void {
    const [was, is] = [leasesIn(before), leasesIn(after)];
    const endsMs = after?.expiresAtMs ?? 0;
    const keptUs = (endsMs - node.nowMs) * 1_000;
    let isWritten = false;
    const [tickets, previous] = [ticketsIn(after), ticketsIn(before)];
    for (const [place, lease] of is) {
      const ticket = tickets.get(place);
      if (was.get(place) === lease && previous.get(place) === ticket) continue;
      isWritten = true;
      this.#tell(node, name, place, "stands", by, keptUs, ticket);
    }
    const entered = placeEnteredBy(by, name);
    for (const place of was.keys()) {
      if (is.has(place)) continue;
      const ticket = place === entered?.place ? entered.ticket : undefined;
      this.#tell(node, name, place, "gone", by, undefined, ticket);
    }
    // The queue is kept for as long as if a place had been written.
    const isLonger = before !== undefined && endsMs > before.expiresAtMs;
    if (!isLonger || isWritten) return;
    if (entered === undefined) this.#write(node, name, "", NO_MARK, "passed", by, keptUs);
    else this.#tell(node, name, entered.place, "passed", by, keptUs, entered.ticket);
  }

  /** The whole name, or one slot of it. */
  onKept(node: SimNode, name: string, { before, after, by }: KeyChange): void {
    const was = keptIn(before);
    for (const inbox of keptIn(after)) {
      if (!was.has(inbox))
        this.#write(node, name, this.#processOf(inbox, name), NO_MARK, "kept", by);
    }
  }

  /** The messages of a node to a process. */
  inboxOn({ index: node }: SimNode, process: string): InboxObserver {
    return {
      onListening: (isListening) => {
        this.#record({ kind: "inbox", node, process, isListening });
      },
      onMessage: (message, what) => {
        const [, beginning] = LOST.exec(message) ?? [];
        if (beginning !== undefined) {
          if (what === "heard") this.#record({ kind: "news", node, process, beginning });
          return;
        }
        // What no node would write says nothing.
        const [, granted] = GRANTED.exec(message) ?? [];
        // To whom a node gives the name it does not tell to ask for it.
        if (granted !== undefined && what === "heard") return;
        const turn = granted === undefined ? message : `0:${granted}`;
        const [, ofName, ofPermit, numbers, lockKey] = TURN.exec(turn) ?? [];
        if (lockKey === undefined) return;
        const name = lockKey.replace(KEY_PREFIX, "");
        const wants = (ofPermit === undefined ? ofName : "s") as TurnEvent["wants"];
        const permits = numbers === undefined ? undefined : numbersIn(numbers);
        this.#record({ kind: "turn", node, name, process, wants, permits, what });
      },
    };
  }

  #tell(
    node: SimNode,
    name: string,
    place: string,
    what: PlaceEvent["what"],
    by: KeyChange["by"],
    keptUs?: number,
    ticket?: number,
  ): void {
    const [, wants, count = 1, turnMs, inbox = ""] = PLACE.exec(place) ?? [];
    const kind = { wants: wants as PlaceEvent["wants"], count: Number(count) };
    const mark = { ...kind, turnMs: Number(turnMs), ticket };
    this.#write(node, name, this.#processOf(inbox, name), mark, what, by, keptUs);
  }

  #processOf(inbox: string, name: string): string {
    const process = this.#processes.get(inbox);
    if (process !== undefined) return process;
    throw new Error(`nobody listens at ${inbox}, in the queue of ${name}`);
  }

  #write(
    { index: node }: SimNode,
    name: string,
    process: string,
    mark: Pick<PlaceEvent, "wants" | "count" | "turnMs" | "ticket">,
    what: PlaceEvent["what"],
    author: KeyChange["by"],
    keptUs?: number,
  ): void {
    const { op, by } = doneBy(author);
    const askedUs = typeof author === "object" ? this.#sentUs.get(author) : undefined;
    const sentUs = askedUs ?? this.#world.nowUs;
    this.#record({ kind: "place", node, name, process, ...mark, what, by, op, sentUs, keptUs });
  }
}

/** The place that a release writes before the node tells whoever is first; of a set, in the queue of its first name. */
function placeEnteredBy(
  by: KeyChange["by"],
  name: string,
): { place: string; ticket: number } | undefined {
  if (typeof by !== "object" || by.kind !== "release" || by.waiter === undefined) return undefined;
  const { waiter, keys } = by;
  if (keys.lockKey !== `${KEY_PREFIX}${name}`) return undefined;
  return { place: `${turnTextOf(waiter)}:${waiter.inbox}`, ticket: waiter.ticket };
}

/** When the wait of each place began, µs. */
function ticketsIn(stored: StoredKey | undefined): ReadonlyMap<string, number> {
  const tickets = new Map<string, number>();
  for (const [member, score] of stored?.members ?? []) {
    if (!member.startsWith("@")) tickets.set(textOf(member), score);
  }
  return tickets;
}

/** The lease of each place. */
function leasesIn(stored: StoredKey | undefined): ReadonlyMap<string, number> {
  const leases = new Map<string, number>();
  for (const [member, score] of stored?.members ?? []) {
    if (member.startsWith("@")) leases.set(textOf(member).slice(1), score);
  }
  return leases;
}

/** The inboxes for which a lock key, or the permits of a name, are reserved. */
function keptIn(stored: StoredKey | undefined): ReadonlySet<string> {
  const inboxes = new Set<string>();
  const add = (text: string): void => {
    if (!text.includes(MARKERS.turn)) return;
    const [, inbox] = KEPT.exec(text) ?? [];
    if (inbox !== undefined) inboxes.add(inbox);
  };
  if (stored !== undefined) add(stored.text);
  for (const [member] of stored?.members ?? []) add(textOf(member));
  return inboxes;
}
