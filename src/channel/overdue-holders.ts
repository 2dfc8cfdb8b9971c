import type { Clock } from "../coordinator/ports.js";
import type { LockKind } from "../protocol/lock-kind.js";
import {
  newOperation,
  type Operation,
  type OperationOf,
  type Vote,
} from "../protocol/operation.js";
import {
  closedSign,
  isOpenSign,
  isSameSign,
  overdueMs,
  parseSign,
  type Sign,
} from "../protocol/overdue.js";
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

/** What the last refresh of some places told of their holders. Arrays by place. */
interface Told {
  signs: string;
  /** Where each of them ends. */
  ends: Int32Array;
  /** When the holder's key ends, node's clock, ms, where its sign is open. */
  readonly endMs: Float64Array;
  /** When ending the holders makes room, monotonic clock, ms. */
  readonly dueMs: Float64Array;
  /** What it was then. */
  readonly changeCount: number;
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
  /** By the places of a refresh: the same ones are often refreshed together. */
  readonly #told = new WeakMap<readonly Place[], Told>();
  /** How often what is known of a name has changed otherwise than by a refresh. */
  #changeCount = 0;
  /** How far they are swept. */
  #swept = this.#watched.entries();

  constructor(clock: Clock, driftFactor: number) {
    this.#clock = clock;
    this.#driftFactor = driftFactor;
  }

  /** The node has another record, or watching is pointless now. */
  clear(): void {
    this.#watched.clear();
    this.#changeCount++;
  }

  /** Learns from the node's answers. Returns the vote, with the time until another attempt is worthwhile. */
  read(operation: Operation, vote: Vote): Vote {
    const { kind, keys } = operation;
    if (vote.kind === "refused") {
      const { signs = "", remainingMs, takenPermits } = vote;
      const isAnyEnough = takenPermits !== undefined;
      const nowMs = this.#clock.steady();
      const name = watchKeyOf(keys);
      const before = this.#watched.get(name);
      if (before?.every(({ text }) => text === signs) === false) this.#changeCount++;
      const overdueInMs = leftMs(this.#learn(name, signs, isAnyEnough, nowMs), nowMs);
      return overdueInMs < remainingMs ? { overdueInMs, ...vote } : vote;
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
    this.#changeCount++;
    for (const watched of due) Object.assign(watched, { dueMs: nowMs + PAUSE_MS, isAsked: true });
    const signs = due.map(({ text }) => text).join(";");
    return newOperation("expire", { keys, ownerId: signs, sendBeforeMs });
  }

  /** Where it excludes all others they are gone. Beside others those are gone that were ended before it, if any were. */
  #granted(keys: LockKind): void {
    const name = watchKeyOf(keys);
    const others = keys.isMutex ? [] : (this.#watched.get(name) ?? []);
    const left = others.filter(({ isAsked }) => !isAsked);
    if (left.length > 0) this.#watched.set(name, left);
    else if (!this.#watched.delete(name)) return;
    this.#changeCount++;
  }

  /**
   * A process that waits for thousands of names reads thousands of signs a second, and nearly all are those that it has
   * read before: that is seen without looking for what is known of each name.
   */
  #look(places: readonly Place[], looks: Looks): void {
    const { blockedMs, signs } = looks;
    // One comma fewer than names.
    if (signs.length < places.length && this.#watched.size === 0) return;
    const nowMs = this.#clock.steady();
    const told = this.#toldOf(places);
    const isSame = signs === told.signs;
    const ends = isSame ? told.ends : wordEnds(signs, places.length);
    let [from, fromBefore] = [0, 0];
    for (let at = 0; at < places.length; at++) {
      const [end, endBefore] = [ends[at] as number, told.ends[at] as number];
      const endMs = isOpenSign(signs, end) ? looks.nowMs + (blockedMs[at] as number) : 0;
      const isKnown =
        end > from &&
        endMs === told.endMs[at] &&
        (isSame || signs.slice(from, end) === told.signs.slice(fromBefore, endBefore));
      if (!isKnown) {
        const { keys } = places[at] as Place;
        const text = closedSign(signs.slice(from, end), endMs);
        told.endMs[at] = endMs;
        told.dueMs[at] = this.#learn(watchKeyOf(keys), text, keys.permits !== undefined, nowMs);
      }
      const freeInMs = leftMs(told.dueMs[at] as number, nowMs);
      if (freeInMs < (blockedMs[at] as number)) blockedMs[at] = freeInMs;
      [from, fromBefore] = [end + 1, endBefore + 1];
    }
    told.signs = signs;
    told.ends = ends;
  }

  #toldOf(places: readonly Place[]): Told {
    const last = this.#told.get(places);
    const changeCount = this.#changeCount;
    if (last?.changeCount === changeCount) return last;
    const { length } = places;
    const [ends, endMs] = [new Int32Array(length), new Float64Array(length).fill(Number.NaN)];
    const told = { signs: "", ends, endMs, dueMs: new Float64Array(length), changeCount };
    this.#told.set(places, told);
    return told;
  }

  /**
   * @param isAnyEnough ending one holder makes room. Returns when that is, monotonic clock, ms; Infinity where that is
   *   unknown.
   */
  #learn(name: string, signs: string, isAnyEnough: boolean, nowMs: number): number {
    if (signs === "") {
      if (this.#watched.size > 0) this.#watched.delete(name);
      return Number.POSITIVE_INFINITY;
    }
    const before = this.#watched.get(name);
    if (before?.length === 1) {
      const [only] = before as [Watched];
      if (only.text === signs || this.#renewed(only, signs, nowMs)) return only.dueMs;
    }
    const watched = this.#learned(name, signs, before ?? [], nowMs);
    if (watched.length === 0) return Number.POSITIVE_INFINITY;
    const all = watched.map(({ dueMs }) => dueMs);
    return isAnyEnough ? Math.min(...all) : Math.max(...all);
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
      this.#changeCount++;
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
      if (watched.some(({ dueMs }) => dueMs >= nowMs - KEPT_MS)) continue;
      this.#watched.delete(name);
      this.#changeCount++;
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

/** Where each word ends. */
function wordEnds(words: string, count: number): Int32Array {
  const ends = new Int32Array(count);
  let from = 0;
  for (let at = 0; at < count; at++) {
    const comma = words.indexOf(",", from);
    const end = comma === -1 ? words.length : comma;
    ends[at] = end;
    from = end + 1;
  }
  return ends;
}
