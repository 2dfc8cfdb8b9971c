import {
  companyOf,
  markOf,
  type EndEvent,
  type GrantEvent,
  type History,
  type HistoryEvent,
  type KeyEvent,
  type LostEvent,
  type PlaceEvent,
  type SendEvent,
  type ValidityEvent,
  type VoteEvent,
} from "./history.js";
import { BESIDE_OTHERS, BesideOthers } from "./beside-others.js";
import { getOrAdd } from "./get-or-add.js";
import { isPermit, waitedFor } from "./names.js";
import { NodeLists } from "./node-lists.js";
import { RoundLog } from "./rounds.js";

/** Situations that should occur in some run of a campaign; otherwise the campaign shows less than it seems to. */
export const SOMETIMES = [
  "grant",
  "grantByExactQuorum",
  "splitVote",
  "sealed",
  "tooLate",
  "unknownAcquireLanded",
  "extended",
  "lostExpired",
  "lostTaken",
  "takeover",
  "passedOn",
  "releaseExpired",
  "releasePartial",
  "backfilled",
  "aborted",
  "storeRejected",
  /** A node granted with a fence that it cannot have. */
  "fenceRejected",
  "nodeForgot",
  "keyCameBack",
  "holderCrashed",
  "readTogether",
  "adopted",
  "adoptedInVain",
  "endedByForce",
  "permitsTogether",
  "stolen",
  "keptClosed",
  "overdueEnded",
  "leftToDelay",
  "joined",
  "enteredAgain",
  "placeRefreshed",
  "placeBack",
  "placeOver",
  "redlockGranted",
  "redlockExtended",
  /** The signal of `using` was aborted. */
  "redlockLost",
  ...BESIDE_OTHERS,
] as const;

export type Coverage = Readonly<Record<(typeof SOMETIMES)[number], number>>;

type Counts = Record<(typeof SOMETIMES)[number], number>;

/** How often each of them happened. */
export function coverageOf(history: History): Coverage {
  const counter = new Counter(new NodeLists(history));
  for (const event of history.events) counter.see(event);
  return counter.total();
}

class Counter {
  readonly #counts = Object.fromEntries(SOMETIMES.map((what) => [what, 0])) as Counts;
  readonly #log = new RoundLog();
  readonly #beside = new BesideOthers();
  readonly #lists: NodeLists;
  readonly #faulted = new Set<string>();
  readonly #named = new Set<string>();
  /** By name and company: clients that hold the lock concurrently. */
  readonly #reading = new Map<string, Set<string>>();
  /** By semaphore: the permits that are held. */
  readonly #permits = new Map<string, Set<string>>();
  /** Owners whose names stay closed when they are lost. */
  readonly #delayed = new Set<string>();
  /** Owners by redlock's interface. */
  readonly #ofRedlock = new Set<string>();

  /** In the queues of the nodes: when each was written. */
  readonly #places = new Map<string, number>();

  constructor(lists: NodeLists) {
    this.#lists = lists;
  }

  see(event: HistoryEvent): void {
    this.#log.see(event);
    this.#beside.see(event);
    const what = plainly(event);
    if (what !== undefined) this.#counts[what]++;
    if (event.kind === "send") this.#onSend(event);
    else if (event.kind === "vote") this.#onVote(event);
    else if (event.kind === "key") this.#onKey(event);
    else if (event.kind === "place") this.#onPlace(event);
    else if (event.kind === "grant") this.#onGrant(event);
    else if (event.kind === "validity") this.#onExtended(event);
    else if (event.kind === "lost") this.#onLost(event);
    else if (event.kind === "end") this.#onEnd(event);
  }

  total(): Coverage {
    for (const { op, process, granted } of new Set(this.#log.rounds.values())) {
      const isSplit = granted.size > 0 && granted.size < this.#lists.quorumOf(process);
      if (op === "acquire" && isSplit) this.#counts.splitVote++;
    }
    return { ...this.#counts, ...this.#beside.counts };
  }

  #onSend({ via, ownerId }: SendEvent): void {
    if (via === "redlock") this.#ofRedlock.add(ownerId);
  }

  #onEnd({ ownerId, name }: EndEvent): void {
    for (const company of this.#reading.values()) company.delete(ownerId);
    this.#permits.get(waitedFor(name))?.delete(ownerId);
  }

  #onLost({ ownerId }: LostEvent): void {
    if (this.#delayed.has(ownerId)) this.#counts.leftToDelay++;
    if (this.#ofRedlock.has(ownerId)) this.#counts.redlockLost++;
  }

  #onExtended({ ownerId }: ValidityEvent): void {
    if (this.#ofRedlock.has(ownerId)) this.#counts.redlockExtended++;
  }

  #onGrant(event: GrantEvent): void {
    const { process, ownerId, name, lockDelayMs = 0 } = event;
    const company = companyOf(event);
    if (company !== undefined) this.#onCompany(`${name} ${company}`, event);
    if (isPermit(name)) this.#onPermit(waitedFor(name), ownerId);
    const voteCount = this.#log.of(ownerId, "acquire").at(-1)?.granted.size ?? 0;
    if (voteCount === this.#lists.quorumOf(process)) this.#counts.grantByExactQuorum++;
    if (this.#log.of(ownerId, "seal").length > 0) this.#counts.sealed++;
    if (lockDelayMs > 0) this.#delayed.add(ownerId);
    if (this.#named.has(name)) this.#counts.takeover++;
    if (this.#ofRedlock.has(ownerId)) this.#counts.redlockGranted++;
    this.#named.add(name);
  }

  #onCompany(company: string, { ownerId, mode }: GrantEvent): void {
    const reading = getOrAdd(this.#reading, company, () => new Set());
    if (reading.size > 0) this.#counts[mode === "shared" ? "readTogether" : "enteredAgain"]++;
    reading.add(ownerId);
  }

  #onPermit(semaphore: string, ownerId: string): void {
    const permits = getOrAdd(this.#permits, semaphore, () => new Set());
    if (permits.size > 0) this.#counts.permitsTogether++;
    permits.add(ownerId);
  }

  #onVote({ op, vote, fault, ownerId, node }: VoteEvent): void {
    if (fault === "implausible") this.#counts.fenceRejected++;
    if (op === "acquire" && vote === "fault") this.#faulted.add(`${ownerId} ${node}`);
  }

  #onPlace(event: PlaceEvent): void {
    const { node, name, process, what, op, atUs } = event;
    const place = `${node} ${name} ${process} ${markOf(event)}`;
    const writtenUs = this.#places.get(place);
    if (what === "stands") {
      if (op === "refresh")
        this.#counts[writtenUs === undefined ? "placeBack" : "placeRefreshed"]++;
      this.#places.set(place, atUs);
    } else if (what === "gone") {
      const isOver = writtenUs !== undefined && atUs - writtenUs > 4_900_000;
      if (isOver && op !== "leave" && op !== "forget") this.#counts.placeOver++;
      this.#places.delete(place);
    }
  }

  #onKey({ op, by, node, before, after }: KeyEvent): void {
    if (op === "forget" && after !== undefined) this.#counts.keyCameBack++;
    if (op === "overdue") this.#counts.overdueEnded++;
    if (op === "heal" && before === undefined) this.#counts.backfilled++;
    if (op === "release" && after !== undefined) this.#counts.keptClosed++;
    const wasUnknown = this.#faulted.has(`${by} ${node}`);
    if (op === "release" && wasUnknown) this.#counts.unknownAcquireLanded++;
  }
}

/** The situation that an event shows on its own. */
function plainly(event: HistoryEvent): (typeof SOMETIMES)[number] | undefined {
  switch (event.kind) {
    case "grant":
      return "grant";
    case "validity":
      return "extended";
    case "passed":
      return "passedOn";
    case "handle":
      return event.what === "join" ? "joined" : undefined;
    case "lost":
      return LOST[event.reason];
    case "settle":
      return SETTLED[event.result];
    case "store":
      return event.what === "reject" ? "storeRejected" : undefined;
    case "force":
      return event.isQuorate ? "endedByForce" : undefined;
    case "node":
      return event.what === "forget" ? "nodeForgot" : undefined;
    case "end":
      return event.why === "crashed" ? "holderCrashed" : undefined;
    default:
      return undefined;
  }
}

const LOST: Readonly<Record<string, (typeof SOMETIMES)[number]>> = {
  expired: "lostExpired",
  stolen: "stolen",
  taken: "lostTaken",
};

const SETTLED: Readonly<Record<string, (typeof SOMETIMES)[number]>> = {
  adopted: "adopted",
  notAdopted: "adoptedInVain",
  tooLate: "tooLate",
  exhausted: "tooLate",
  aborted: "aborted",
  expired: "releaseExpired",
  partial: "releasePartial",
};
