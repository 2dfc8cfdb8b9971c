import type { Cluster, Redis } from "ioredis";
import type { EventEmitter } from "node:events";
import type { Subscription, SubscriptionEvents } from "../channel/transport.js";
import type { Clock } from "../coordinator/ports.js";
import { channelInSlot } from "../protocol/keys.js";
import { PLACE_MS } from "../protocol/node-queue.js";
import type { Operation } from "../protocol/operation.js";
import {
  connectionFailure,
  isConnectionClosed,
  isOfClusterMember,
} from "../script/redis-errors.js";
import { addressOf } from "./cluster-member.js";
import { connectOnce } from "./client-events.js";
import { confirmAgain } from "./confirm-again.js";

/** How long a channel is kept after the last operation that needed it, ms: longer than a place lives. */
const KEPT_MS = 2 * PLACE_MS;

/** Pause before a member is connected to again, ms. */
const PAUSE_MS = 250;

/** A connection to one member. */
interface Member {
  readonly redis: Redis;
  readonly close: () => void;
  /** When it ended, monotonic clock, ms. */
  endedMs?: number;
}

/** The channel in one slot. */
interface Ear {
  /** The address of the member that has the slot. */
  readonly key: string;
  readonly channel: string;
  /** It may be needed until then, monotonic clock, ms. */
  untilMs: number;
  /** The member was asked for it, and nothing was heard since that it has ended. */
  isAsked: boolean;
}

/** A hash slot of a Cluster. */
export interface Slot {
  readonly number: number;
  /** Hashes to it. */
  readonly tag: string;
}

/**
 * How long the process may be told of something in the slot of an operation, ms: it leaves a place there, or keeps one,
 * or renews a lock. 0 if it may not.
 */
export function tellsForMs(operation: Operation): number {
  const { kind } = operation;
  if (kind === "extend") return Math.max(KEPT_MS, operation.ttlMs);
  const isPlaced =
    (kind === "acquire" || kind === "release") && (operation.waiter?.ticket ?? 0) > 0;
  return kind === "refresh" || isPlaced ? KEPT_MS : 0;
}

/**
 * Where a Cluster notifies this process. A member counts only who listens to it, and keeps messages to itself, so there
 * is a channel in each hash slot, for as long as operations say that something may be told there. It is subscribed to at
 * the member that has the slot, over a connection beside that for commands.
 *
 * What is lost, a connection or a slot that has moved to another member, is made good with the next such operation.
 * Places are refreshed several times a second, which also finds out what a message would have said.
 */
export class ClusterSubscription implements Subscription {
  readonly #channel: string;
  readonly #clock: Pick<Clock, "steady">;
  readonly #events: SubscriptionEvents;
  readonly #confirmMs: number | undefined;
  /** By address. */
  readonly #members = new Map<string, Member>();
  /** By slot. */
  readonly #ears = new Map<number, Ear>();
  #sweepAtMs: number;
  #isOpen = false;
  #isOver = false;

  constructor(
    channel: string,
    clock: Pick<Clock, "steady">,
    events: SubscriptionEvents,
    confirmMs?: number,
  ) {
    this.#confirmMs = confirmMs;
    this.#channel = channel;
    this.#clock = clock;
    this.#events = events;
    this.#sweepAtMs = clock.steady() + KEPT_MS;
  }

  /** An operation is sent because of which the process may be told something in that slot. */
  listen(cluster: Cluster, slot: Slot, forMs: number): void {
    if (this.#isOver) return;
    const nowMs = this.#clock.steady();
    if (this.#sweepAtMs <= nowMs) this.#sweep(nowMs);
    const key = cluster.slots[slot.number]?.[0];
    if (key === undefined) return;
    let ear = this.#ears.get(slot.number);
    if (ear?.key !== key) {
      const channel = channelInSlot(this.#channel, slot.tag);
      ear = { key, channel, untilMs: nowMs, isAsked: false };
      this.#ears.set(slot.number, ear);
    }
    ear.untilMs = Math.max(ear.untilMs, nowMs + forMs);
    if (!ear.isAsked) this.#subscribe(cluster, ear, nowMs);
  }

  close(): void {
    this.#isOver = true;
    for (const member of this.#members.values()) member.close();
  }

  #subscribe(cluster: Cluster, ear: Ear, nowMs: number): void {
    const member = this.#memberAt(cluster, ear.key, nowMs);
    if (member === undefined) return;
    ear.isAsked = true;
    member.redis.ssubscribe(ear.channel).then(
      () => this.#onOpen(),
      (error: unknown) => this.#onFailed(ear, error),
    );
  }

  /** Undefined if it cannot be asked now. */
  #memberAt(cluster: Cluster, key: string, nowMs: number): Member | undefined {
    const before = this.#members.get(key);
    if (before !== undefined && before.endedMs === undefined) return before;
    if (before?.endedMs !== undefined && nowMs < before.endedMs + PAUSE_MS) return undefined;
    const own = cluster.nodes("master").find(({ options }) => addressOf(options) === key);
    if (own === undefined) return undefined;
    // What is sent before it is connected waits for that.
    const redis = own.duplicate({ enableOfflineQueue: true });
    const close = confirmAgain(redis, () => this.#confirm(redis, key), this.#confirmMs);
    const member: Member = { redis, close };
    this.#members.set(key, member);
    this.#watch(member, key);
    return member;
  }

  #watch(member: Member, key: string): void {
    const { redis } = member;
    redis.on("smessage", (_: string, message: string) => {
      if (!this.#isOver) this.#events.onMessage(message);
    });
    // It has lost one of the slots to another. Which one, it does not say.
    const emitter: EventEmitter = redis;
    emitter.on("moved", () => this.#askAgain(key));
    connectOnce(redis, {
      onOpen: () => {},
      onClose: () => {
        member.endedMs = this.#clock.steady();
        if (this.#members.get(key) === member) this.#askAgain(key);
      },
    });
  }

  async #confirm(redis: Redis, key: string): Promise<void> {
    const ear = [...this.#ears.values()].find((each) => each.key === key);
    if (ear !== undefined) await redis.ssubscribe(ear.channel);
  }

  /** The next operation in each of its slots does. */
  #askAgain(key: string): void {
    for (const ear of this.#ears.values()) if (ear.key === key) ear.isAsked = false;
  }

  #onOpen(): void {
    if (this.#isOpen || this.#isOver) return;
    this.#isOpen = true;
    this.#events.onOpen();
  }

  #onFailed(ear: Ear, error: unknown): void {
    ear.isAsked = false;
    if (this.#isOver || isConnectionClosed(error) || isOfClusterMember(error)) return;
    this.close();
    this.#events.onClose(connectionFailure(error).message);
  }

  /** Gives up the channels that nothing needs any more, and the connections without one. */
  #sweep(nowMs: number): void {
    this.#sweepAtMs = nowMs + KEPT_MS;
    const used = new Set<string>();
    for (const [slot, { key, channel, untilMs }] of this.#ears) {
      if (untilMs > nowMs) {
        used.add(key);
        continue;
      }
      this.#ears.delete(slot);
      this.#members
        .get(key)
        ?.redis.sunsubscribe(channel)
        .catch(() => {});
    }
    for (const [key, member] of this.#members) {
      if (used.has(key)) continue;
      this.#members.delete(key);
      member.close();
    }
  }
}
