import type { Waiter } from "../protocol/waiter.js";
import type { AcquireRequest } from "./acquire-request.js";
import type { Context } from "./context.js";
import { Pauses, type WaitSettings } from "./pauses.js";
import type { QueuedPlace } from "./places.js";
import type { Sleeper } from "./schedule.js";

/** An acquire, as its timer sees it. */
export interface TimedAcquire {
  /** Attempts so far. */
  readonly attemptCount: number;
  /** It is time to ask, or the deadline has passed. */
  onDue(nowMs: number): void;
}

/**
 * When an acquire asks next: after a pause or, while its place in the nodes' queues is refreshed, when the refreshes
 * say that a quorum can be free. It is always due at its deadline.
 */
export class AcquireTimer implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  readonly pauses: Pauses;

  readonly #context: Context;
  readonly #acquire: TimedAcquire;
  readonly #deadlineMs: number;
  /** When to ask next, lease clock, ms. It never asks earlier, though it may be woken earlier. */
  #askAtMs = 0;
  /** Its place in the nodes' queues, while that is refreshed. */
  #place: QueuedPlace | undefined;

  /** @param deadlineMs lease clock: the deadline of the acquire */
  constructor(context: Context, acquire: TimedAcquire, wait: WaitSettings, deadlineMs: number) {
    this.#context = context;
    this.#acquire = acquire;
    this.#deadlineMs = deadlineMs;
    this.pauses = new Pauses(context, wait);
  }

  /** Its place is refreshed, and the refreshes say when to ask. */
  get isInPlace(): boolean {
    return this.#place !== undefined;
  }

  sleepUntil(untilMs: number): void {
    this.#askAtMs = untilMs;
    this.#context.schedule.set(this, Math.min(untilMs, this.#deadlineMs));
  }

  /** Sleeps for `pauseMs`, unless it would wake up earlier anyway. */
  sleepAtMost(nowMs: number, pauseMs: number): void {
    this.sleepUntil(Math.min(this.wakeAtMs, nowMs + pauseMs));
  }

  /** Even slightly after the deadline. */
  hurryAt(atMs: number): void {
    this.#context.schedule.set(this, atMs);
  }

  /** Sleeps until it is notified or a quorum can be free by expiry; later if refreshes say so. */
  sleepInPlace(
    nowMs: number,
    { keys, settings }: AcquireRequest,
    waiter: Waiter | undefined,
    quorumFreeInMs: number,
  ): void {
    this.sleepUntil(nowMs + this.pauses.lookAgainMs(quorumFreeInMs));
    if (waiter === undefined) return;
    const { nodeTimeoutMs } = settings;
    const onLook: QueuedPlace["onLook"] = (freeInMs, atMs) => this.#onLook(freeInMs, atMs);
    this.#place = { keys, waiter, nodeTimeoutMs, onLook };
    this.#context.waitQueues.places?.add(this.#place);
  }

  /** It asks now or never again. Its attempts keep its place, and earlier answers to refreshes are outdated. */
  stop(): void {
    this.#context.schedule.remove(this);
    this.#leavePlace();
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    // The nodes have said meanwhile that the name is still held, so it asks later.
    const isPutOff = this.#place !== undefined && nowMs < this.#askAtMs;
    if (isPutOff && nowMs < this.#deadlineMs) this.sleepUntil(this.#askAtMs);
    else this.#acquire.onDue(nowMs);
  }

  /** Told by the nodes when the place was refreshed. */
  #onLook(quorumFreeInMs: number | undefined, nowMs: number): void {
    if (quorumFreeInMs === undefined) {
      // An attempt finds out why and reports it.
      this.#leavePlace();
      const pauseMs = this.pauses.backoffMs(this.#acquire.attemptCount);
      this.sleepUntil(Math.min(this.#askAtMs, nowMs + pauseMs));
      return;
    }
    this.#askAtMs = nowMs + this.pauses.lookAgainMs(quorumFreeInMs);
    if (this.#askAtMs < this.wakeAtMs) this.#context.schedule.set(this, this.#askAtMs);
  }

  #leavePlace(): void {
    if (this.#place !== undefined) this.#context.waitQueues.places?.delete(this.#place);
    this.#place = undefined;
  }
}
