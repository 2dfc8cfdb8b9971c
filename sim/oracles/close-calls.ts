import { getOrAdd } from "./get-or-add.js";
import {
  companyOf,
  type EndEvent,
  type GrantEvent,
  type History,
  type HistoryEvent,
  type KeyEvent,
  type SendEvent,
  type ValidityEvent,
} from "./history.js";

/** Near misses in time and in votes: where a lock that is nearly right fails. */
export const CLOSE_CALLS = [
  /** Two owners have half of the nodes each: neither can win. */
  "evenSplit",
  /** A rollback reaches a node after the name was granted to another client. */
  "lateRollback",
  /** A lease was proved again when less than a tenth of its ttl was left. */
  "extendedInLastTenth",
  /** A grant just after another's keys had expired. */
  "takeoverAtExpiry",
] as const;

export type CloseCalls = Readonly<Record<(typeof CLOSE_CALLS)[number], number>>;

/** Limit for "just after", µs. */
const RIGHT_AFTER_US = 50_000;

export function closeCallsOf({ settings, events }: History): CloseCalls {
  const counter = new Counter(settings.nodeCount);
  for (const event of events) counter.see(event);
  return counter.counts;
}

class Counter {
  readonly counts = Object.fromEntries(CLOSE_CALLS.map((what) => [what, 0])) as Record<
    (typeof CLOSE_CALLS)[number],
    number
  >;
  readonly #nodeCount: number;
  /** By name: the owner on each node. */
  readonly #holders = new Map<string, (string | undefined)[]>();
  readonly #firstSends = new Map<string, number>();
  /** By owner: until when its lease is proven, lease clock. */
  readonly #proven = new Map<string, number>();
  /** By name. */
  readonly #lastGrants = new Map<string, GrantEvent>();
  readonly #lastExpiries = new Map<string, KeyEvent>();
  readonly #lastEnds = new Map<string, EndEvent>();

  constructor(nodeCount: number) {
    this.#nodeCount = nodeCount;
  }

  see(event: HistoryEvent): void {
    // Readers do not compete with each other, nor do the holds of an owner.
    if (event.kind === "key" && companyOf(event) === undefined) this.#onKey(event);
    else if (event.kind === "grant") this.#onGrant(event);
    else if (event.kind === "validity") this.#onValidity(event);
    else if (event.kind === "end") this.#lastEnds.set(event.name, event);
    else if (event.kind === "send" && event.op === "acquire") this.#onAsked(event);
  }

  #onAsked({ ownerId, atUs }: SendEvent): void {
    if (!this.#firstSends.has(ownerId)) this.#firstSends.set(ownerId, atUs);
  }

  #onValidity({ ownerId, leaseMs, ttlMs, validUntilMs }: ValidityEvent): void {
    const leftMs = (this.#proven.get(ownerId) ?? Infinity) - leaseMs;
    if (leftMs < ttlMs / 10) this.counts.extendedInLastTenth++;
    this.#proven.set(ownerId, validUntilMs);
  }

  #onGrant(event: GrantEvent): void {
    const { name, ownerId, atUs } = event;
    this.#proven.set(ownerId, event.validUntilMs);
    const expiry = this.#lastExpiries.get(name);
    const wasLeft = this.#lastEnds.get(name)?.ownerId === expiry?.before;
    if (expiry !== undefined && wasLeft && atUs - expiry.atUs < RIGHT_AFTER_US) {
      this.counts.takeoverAtExpiry++;
    }
    this.#lastGrants.set(name, event);
  }

  #onKey(event: KeyEvent): void {
    const { name, node, op, by, after } = event;
    if (op === "expire") this.#lastExpiries.set(name, event);
    const grant = this.#lastGrants.get(name);
    if (op === "release" && by !== undefined && grant !== undefined && !this.#proven.has(by)) {
      if (grant.atUs > (this.#firstSends.get(by) ?? Infinity)) this.counts.lateRollback++;
    }
    const holders = getOrAdd(this.#holders, name, () => []);
    const wasSplit = this.#isSplit(holders);
    holders[node] = after;
    if (!wasSplit && this.#isSplit(holders)) this.counts.evenSplit++;
  }

  #isSplit(holders: readonly (string | undefined)[]): boolean {
    if (this.#nodeCount % 2 !== 0 || this.#nodeCount < 4) return false;
    const counts = new Map<string, number>();
    for (const holder of holders) {
      if (holder !== undefined) counts.set(holder, (counts.get(holder) ?? 0) + 1);
    }
    const half = this.#nodeCount / 2;
    return [...counts.values()].filter((count) => count === half).length === 2;
  }
}
