import type { Waiter } from "../protocol/waiter.js";
import type { AcquireRequest } from "./acquire-request.js";
import type { Context } from "./context.js";
import { Pauses, type WaitSettings } from "./pauses.js";
import type { QueuedPlace } from "./places.js";
import type { Sleeper } from "./schedule.js";

/** An acquire, as its timer sees it. */
export interface TimedAcquire {
  /** Attempts until now. */
  readonly attemptCount: number;
  /** It is time to ask, or its time is over. */
  onDue(nowMs: number): void;
}

/**
 * When an acquire asks next: at the end of a pause, or, while its place in the queues of the nodes is refreshed,
 * when these say that a quorum can be free. At the end of its time it is due in any case.
 */
export class AcquireTimer implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  readonly pauses: Pauses;

  readonly #context: Context;
  readonly #acquire: TimedAcquire;
  readonly #deadlineMs: number;
  /** When to ask next, lease clock, ms: not before it, though it may be woken earlier. */
  #askAtMs = 0;
  /** While it is refreshed: its place in the queues of the nodes. */
  #place: QueuedPlace | undefined;

  /** @param deadlineMs lease clock: the end of its time */
  constructor(context: Context, acquire: TimedAcquire, wait: WaitSettings, deadlineMs: number) {
    this.#context = context;
    this.#acquire = acquire;
    this.#deadlineMs = deadlineMs;
    this.pauses = new Pauses(context, wait);
  }

  /** Its place is refreshed, so that it learns from that when to ask. */
  get isInPlace(): boolean {
    return this.#place !== undefined;
  }

  sleepUntil(untilMs: number): void {
    this.#askAtMs = untilMs;
    this.#context.schedule.set(this, Math.min(untilMs, this.#deadlineMs));
  }

  /** For `pauseMs`, unless it would wake up earlier anyhow. */
  sleepAtMost(nowMs: number, pauseMs: number): void {
    this.sleepUntil(Math.min(this.wakeAtMs, nowMs + pauseMs));
  }

  /** Soon, also a little beyond the end of its time. */
  hurry(nowMs: number): void {
    this.#context.schedule.set(this, nowMs + this.pauses.soonMs);
  }

  /** Until it is its turn, or a quorum can be free by expiry: later, where refreshes say so. */
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

  /** It asks now, or never again. The attempts keep its place, and what was said of it until now is old. */
  stop(): void {
    this.#context.schedule.remove(this);
    this.#leavePlace();
  }

  /** Called by the schedule. */
  wake(nowMs: number): void {
    // What the nodes have said meanwhile puts it off: it is still held.
    const isPutOff = this.#place !== undefined && nowMs < this.#askAtMs;
    if (isPutOff && nowMs < this.#deadlineMs) this.sleepUntil(this.#askAtMs);
    else this.#acquire.onDue(nowMs);
  }

  /** Told by the nodes when the place was refreshed. */
  #onLook(quorumFreeInMs: number | undefined, nowMs: number): void {
    if (quorumFreeInMs === undefined) {
      // An attempt finds out why, and tells it.
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
