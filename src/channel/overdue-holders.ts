import type { Clock } from "../coordinator/ports.js";
import type { LockKind } from "../protocol/lock-kind.js";
import {
  newOperation,
  type Operation,
  type OperationOf,
  type Vote,
} from "../protocol/operation.js";
import { isSameSign, overdueMs, parseSign, type Sign } from "../protocol/overdue.js";
import type { Looks, Place } from "../protocol/node-queue.js";

/** Maximum number of names watched; beyond it the oldest are dropped, and wait for expiry. */
const MAX_NAMES = 16_384;

/** Minimum time between two attempts to end holders, ms: a node may be unable to. */
const PAUSE_MS = 1_000;

/** How long a holder is remembered after it could be ended, ms: its key has expired by then. */
const KEPT_MS = 60_000;

/** How many names are looked at for each that comes: more than one, so that what is over becomes less. */
const SWEPT_NAMES = 2;

interface Watched {
  text: string;
  /** When it may be ended, or ended again, monotonic clock, ms. */
  dueMs: number;
  /** A step that ends it was sent. */
  isAsked: boolean;
}

/**
 * The holders of each name on one node, and since when each has not been renewed, according to refusals: so that
 * overdue ones can be ended. See `protocol/overdue`.
 */
export class OverdueHolders {
  readonly #clock: Clock;
  readonly #driftFactor: number;
  /** By {@link watchKeyOf}. */
  readonly #watched = new Map<string, readonly Watched[]>();
  /** How far they are swept. */
  #swept = this.#watched.entries();

  constructor(clock: Clock, driftFactor: number) {
    this.#clock = clock;
    this.#driftFactor = driftFactor;
  }

  /** The node has another record, or watching is pointless now. */
  clear(): void {
    this.#watched.clear();
  }

  /** Learns from the node's answers. Returns the vote, with the time until another attempt is worthwhile. */
  read(operation: Operation, vote: Vote): Vote {
    const { kind, keys } = operation;
    if (vote.kind === "refused") {
      const { signs = "", remainingMs, takenPermits } = vote;
      const isAnyEnough = takenPermits !== undefined;
      const nowMs = this.#clock.steady();
      const overdueInMs = this.#told(watchKeyOf(keys), signs, 0, signs.length, isAnyEnough, nowMs);
      return overdueInMs < remainingMs ? { ...vote, overdueInMs } : vote;
    }
    if (vote.kind !== "granted") return vote;
    if (kind === "refresh" && vote.looks !== undefined) this.#look(operation.places, vote.looks);
    else if (kind === "acquire" && this.#watched.size > 0) this.#granted(keys);
    return vote;
  }

  /** The step to run before an acquire: it ends overdue holders. Undefined where there are none. */
  expiryBefore({ keys, sendBeforeMs }: OperationOf<"acquire">): Operation | undefined {
    if (this.#watched.size === 0) return undefined;
    const nowMs = this.#clock.steady();
    const due = this.#watched.get(watchKeyOf(keys))?.filter(({ dueMs }) => dueMs <= nowMs);
    if (due === undefined || due.length === 0) return undefined;
    for (const watched of due) Object.assign(watched, { dueMs: nowMs + PAUSE_MS, isAsked: true });
    const signs = due.map(({ text }) => text).join(";");
    return newOperation("expire", { keys, ownerId: signs, sendBeforeMs });
  }

  /** Where it excludes all others they are gone. Beside others those are gone that were ended before it, if any were. */
  #granted(keys: LockKind): void {
    const name = watchKeyOf(keys);
    const others = keys.isMutex ? [] : (this.#watched.get(name) ?? []);
    const left = others.filter(({ isAsked }) => !isAsked);
    if (left.length === 0) this.#watched.delete(name);
    else this.#watched.set(name, left);
  }

  #look(places: readonly Place[], { blockedMs, signs }: Looks): void {
    // One comma fewer than names.
    if (signs.length < places.length && this.#watched.size === 0) return;
    const nowMs = this.#clock.steady();
    let from = 0;
    for (let at = 0; at < places.length; at++) {
      const { keys } = places[at] as Place;
      const comma = signs.indexOf(",", from);
      const end = comma === -1 ? signs.length : comma;
      const isAnyEnough = keys.permits !== undefined;
      const freeInMs = this.#told(watchKeyOf(keys), signs, from, end, isAnyEnough, nowMs);
      if (freeInMs < (blockedMs[at] as number)) blockedMs[at] = freeInMs;
      from = end + 1;
    }
  }

  /**
   * The signs of one name are a part of the text. A process that waits for thousands of names reads thousands of them
   * per second, and nearly all are the one sign that was there before: that is seen without cutting it out.
   *
   * @param isAnyEnough ending one holder makes room. Returns in how many ms that is, if known.
   */
  #told(
    name: string,
    signs: string,
    from: number,
    end: number,
    isAnyEnough: boolean,
    nowMs: number,
  ): number {
    if (from >= end) {
      if (this.#watched.size > 0) this.#watched.delete(name);
      return Number.POSITIVE_INFINITY;
    }
    const before = this.#watched.get(name);
    if (before?.length === 1) {
      const [only] = before as [Watched];
      const isSame = only.text.length === end - from && signs.startsWith(only.text, from);
      if (isSame || this.#renewed(only, signs.slice(from, end), nowMs))
        return leftMs(only.dueMs, nowMs);
    }
    const watched = this.#learned(name, signs.slice(from, end), before ?? [], nowMs);
    if (watched.length === 0) return Number.POSITIVE_INFINITY;
    const all = watched.map(({ dueMs }) => dueMs);
    return leftMs(isAnyEnough ? Math.min(...all) : Math.max(...all), nowMs);
  }

  /**
   * Next to nearly all others are those whose only holder has renewed, or made way for another. @returns whether it is so
   */
  #renewed(only: Watched, text: string, nowMs: number): boolean {
    const sign = parseSign(text);
    if (sign === undefined) return false;
    if (!isSameSign(only.text, text)) Object.assign(only, this.#watchedFrom(sign, nowMs));
    return true;
  }

  #watchedFrom(sign: Sign, nowMs: number): Watched {
    return { text: sign.text, dueMs: overdueMs(sign, nowMs, this.#driftFactor), isAsked: false };
  }

  #learned(
    name: string,
    signs: string,
    before: readonly Watched[],
    nowMs: number,
  ): readonly Watched[] {
    const watched: Watched[] = [];
    for (const text of signs.split(";")) {
      const known = before.find((each) => isSameSign(each.text, text));
      const sign = known === undefined ? parseSign(text) : undefined;
      if (known !== undefined) watched.push(known);
      else if (sign !== undefined) watched.push(this.#watchedFrom(sign, nowMs));
    }
    if (!this.#watched.has(name)) this.#sweep(nowMs);
    this.#watched.set(name, watched);
    if (this.#watched.size > MAX_NAMES) {
      const [oldest = name] = this.#watched.keys();
      this.#watched.delete(oldest);
    }
    return watched;
  }

  /** Round after round, what is over goes. */
  #sweep(nowMs: number): void {
    for (let count = 0; count < SWEPT_NAMES; count++) {
      const next = this.#swept.next();
      if (next.done === true) {
        this.#swept = this.#watched.entries();
        return;
      }
      const [name, watched] = next.value;
      if (watched.every(({ dueMs }) => dueMs < nowMs - KEPT_MS)) this.#watched.delete(name);
    }
  }
}

/** A set of names may be told of a holder of any of them: that says nothing about the holder of the first. */
function watchKeyOf({ waitQueueKey, lockKeys }: LockKind): string {
  return lockKeys.length === 1 ? waitQueueKey : lockKeys.join();
}

/** Rounded up: an attempt after this time should find the holder overdue by another clock, too. */
function leftMs(dueMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil(dueMs - nowMs) + 1);
}
