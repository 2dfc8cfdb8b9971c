import type { Clock } from "../coordinator/ports.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { Operation, Vote } from "../protocol/operation.js";
import { isSameSign, overdueInMs, parseSign, type Sign } from "../protocol/overdue.js";
import type { Looks, Place } from "../protocol/place.js";

/** Maximum number of names watched; beyond it the oldest are dropped, and wait for expiry. */
const MAX_NAMES = 16_384;

/** Minimum time between two attempts to end holders, ms: a node may be unable to. */
const PAUSE_MS = 1_000;

interface Watched extends Sign {
  /** When it was first received, monotonic clock, ms. */
  readonly seenMs: number;
  /** Monotonic clock, ms. */
  notBeforeMs: number;
}

/**
 * The holders of each name on one node, and since when each has not been renewed, according to refusals: so that
 * overdue ones can be ended. See `protocol/overdue`.
 */
export class OverdueHolders {
  readonly #clock: Clock;
  readonly #driftFactor: number;
  /** By {@link LockKind.waitQueueKey}. */
  readonly #watched = new Map<string, readonly Watched[]>();

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
    if (vote.kind === "refused") return this.#refused(operation.keys, vote);
    if (vote.kind === "granted") {
      if (vote.looks !== undefined) this.#look(operation.places ?? [], vote.looks);
      else if (operation.kind === "acquire" && this.#watched.size > 0) {
        this.#watched.delete(operation.keys.waitQueueKey);
      }
    }
    return vote;
  }

  /** The step to run before an operation: it ends overdue holders. Undefined where there are none. */
  expiryOf({ kind, keys, sendBeforeMs }: Operation): Operation | undefined {
    if (this.#watched.size === 0 || kind !== "acquire") return undefined;
    const signs = this.#take(keys);
    if (signs === undefined) return undefined;
    return {
      ...{ kind: "expire", keys, ownerId: signs, ttlMs: 0, fence: undefined, sendBeforeMs },
      wire: undefined,
    };
  }

  #take({ waitQueueKey }: LockKind): string | undefined {
    const nowMs = this.#clock.steady();
    const due = this.#watched
      .get(waitQueueKey)
      ?.filter((watched) => this.#leftMs(watched, nowMs) <= 0);
    if (due === undefined || due.length === 0) return undefined;
    for (const watched of due) watched.notBeforeMs = nowMs + PAUSE_MS;
    return due.map(({ text }) => text).join(";");
  }

  #refused(keys: LockKind, vote: Vote & { readonly kind: "refused" }): Vote {
    const { signs = "", remainingMs, takenSlots } = vote;
    const leftMs = this.#told(keys.waitQueueKey, signs, takenSlots !== undefined);
    return leftMs < remainingMs ? { ...vote, remainingMs: leftMs } : vote;
  }

  #look(places: readonly Place[], { blockedMs, signs }: Looks): void {
    // One comma fewer than names.
    if (signs.length < places.length && this.#watched.size === 0) return;
    const each = signs.split(",");
    for (let at = 0; at < places.length; at++) {
      const { keys } = places[at] as Place;
      const leftMs = this.#told(keys.waitQueueKey, each[at] ?? "", keys.slots !== undefined);
      const saidMs = blockedMs[at] as number;
      if (leftMs < saidMs) blockedMs[at] = leftMs;
    }
  }

  /** @param isAnyEnough ending one holder makes room. Returns in how many ms that is, if known. */
  #told(name: string, signs: string, isAnyEnough: boolean): number {
    if (signs === "") {
      if (this.#watched.size > 0) this.#watched.delete(name);
      return Number.POSITIVE_INFINITY;
    }
    const nowMs = this.#clock.steady();
    const before = this.#watched.get(name) ?? [];
    const watched: Watched[] = [];
    for (const text of signs.split(";")) {
      const known = before.find((each) => isSameSign(each.text, text));
      const sign = known ?? parseSign(text);
      if (sign !== undefined) {
        watched.push(known ?? { ...sign, seenMs: nowMs, notBeforeMs: nowMs });
      }
    }
    this.#watched.set(name, watched);
    if (this.#watched.size > MAX_NAMES) {
      const [oldest = name] = this.#watched.keys();
      this.#watched.delete(oldest);
    }
    const leftMs = watched.map((each) => this.#leftMs(each, nowMs));
    // Rounded up: an attempt after this time should find the holder overdue by another clock, too.
    const soonest = isAnyEnough ? Math.min(...leftMs) : Math.max(...leftMs);
    return watched.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil(soonest) + 1);
  }

  #leftMs(watched: Watched, nowMs: number): number {
    const leftMs = overdueInMs(watched, watched.seenMs, nowMs, this.#driftFactor);
    return Math.max(leftMs, watched.notBeforeMs - nowMs);
  }
}
